#include "src/diagnosis/probing/map_text.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "src/problem/case_spec.h"
#include "src/problem/operation.h"

namespace assay {
namespace {

enum class From : std::uint8_t { kRows, kCols, kLastRows, kLastCols, kOldValues };

bool is_of_rows(From from) { return from == From::kRows || from == From::kLastRows; }
bool is_of_last(From from) { return from == From::kLastRows || from == From::kLastCols; }

// One element whose source is not its own.
struct Astray {
  Index expert = 0, row = 0, col = 0;
  Source source{};
};

// The same displacement, or the same want of a source.
using Sign = std::tuple<Source::Kind, Index, Index>;

struct Group {
  From from = From::kRows;
  Sign sign{};
  std::vector<Astray> elements{};
};

struct ExpertBox {
  Index expert = 0, first_row = 0, last_row = 0, first_col = 0, last_col = 0;
};

std::string lines(std::string_view what, Index first, Index last) {
  return first == last ? fmt::format("{} {}", what, first)
                       : fmt::format("{}s {} to {}", what, first, last);
}

class Reader {
 public:
  explicit Reader(const OperandMap& map) : map_(map), spec_(map.problem.spec) {}

  std::optional<MapReading> read() {
    collect(From::kRows, map_.row_of_a);
    collect(From::kCols, map_.col_of_b);
    // What goes wrong from the first product on says no more in the last one.
    if (groups_.empty()) {
      collect(From::kLastRows, map_.last_row_of_a);
      collect(From::kLastCols, map_.last_col_of_b);
    }
    if (!map_.old_value.empty()) { collect(From::kOldValues, map_.old_value); }
    if (groups_.empty()) { return std::nullopt; }
    if (tell_leak()) {
      cover_groups();
      return std::move(reading_);
    }
    // What is no line's code may be anything.
    std::erase_if(groups_, is_mixed);
    if (groups_.empty()) { return std::nullopt; }
    cover_groups();
    tell_largest();
    return std::move(reading_);
  }

 private:
  Index rows(Index expert) const { return map_.rows[static_cast<std::size_t>(expert)]; }
  Index cols(Index expert) const { return map_.cols[static_cast<std::size_t>(expert)]; }

  // An expert without rows multiplies nothing where the rows are what is summed.
  bool sums_nothing(Index expert) const {
    return reduces_rows(spec_.pass) && spec_.rows[static_cast<std::size_t>(expert)] == 0;
  }

  Index own_line(From from, const Astray& at) const {
    if (from == From::kOldValues) { return at.row * cols(at.expert) + at.col; }
    return is_of_rows(from) ? at.row : at.col;
  }

  void collect(From from, const std::vector<Source>& sources) {
    std::map<Sign, Group> groups;
    for (Index expert = 0; expert < std::ssize(map_.rows); ++expert) {
      for (Index i = 0; i < rows(expert) * cols(expert); ++i) {
        Astray at{.expert = expert, .row = i / cols(expert), .col = i % cols(expert)};
        at.source = sources[static_cast<std::size_t>(map_.element(expert, at.row, at.col))];
        const Source own = from != From::kOldValues && sums_nothing(expert)
                               ? Source{.kind = Source::Kind::kNothing}
                               : Source{Source::Kind::kLine, expert, own_line(from, at)};
        if (at.source == own) { continue; }
        Sign sign{at.source.kind, 0, 0};
        if (at.source.kind == Source::Kind::kLine) {
          sign = {at.source.kind, at.source.expert - expert, at.source.line - own_line(from, at)};
        }
        Group& group = groups[sign];
        group.from = from;
        group.sign = sign;
        group.elements.push_back(at);
      }
    }
    for (auto& [sign, group] : groups) { groups_.push_back(std::move(group)); }
  }

  static bool is_mixed(const Group& group) {
    return std::get<0>(group.sign) == Source::Kind::kMixed;
  }

  void cover_groups() {
    reading_.covered.assign(static_cast<std::size_t>(map_.first_element.back()), 0);
    for (const Group& group : groups_) {
      for (const Astray& at : group.elements) {
        reading_.covered[static_cast<std::size_t>(map_.element(at.expert, at.row, at.col))] = 1;
      }
    }
  }

  std::string output() const { return std::string(name(output_role(spec_.pass))); }

  // Of the first expert that the group is of.
  static ExpertBox box_of(const Group& group) {
    const Astray& first = group.elements.front();
    ExpertBox box{first.expert, first.row, first.row, first.col, first.col};
    for (const Astray& at : group.elements) {
      if (at.expert != first.expert) { break; }
      box.first_row = std::min(box.first_row, at.row);
      box.last_row = std::max(box.last_row, at.row);
      box.first_col = std::min(box.first_col, at.col);
      box.last_col = std::max(box.last_col, at.col);
    }
    return box;
  }

  // `y of expert 1, columns 16 to 31`, without what is whole.
  std::string place(const ExpertBox& box) const {
    std::string text = fmt::format("{} of expert {}", output(), box.expert);
    const bool all_rows = box.last_row - box.first_row + 1 == rows(box.expert);
    const bool all_cols = box.last_col - box.first_col + 1 == cols(box.expert);
    if (!all_rows) { text += ", " + lines("row", box.first_row, box.last_row); }
    if (!all_cols) { text += ", " + lines("column", box.first_col, box.last_col); }
    return text + (all_rows && all_cols ? "" : ",");
  }

  void say(const char* hypothesis, std::string sentence) {
    reading_.hypothesis = hypothesis;
    reading_.sentence = std::move(sentence);
  }

  // What one expert alone computes stands in another's output, beside what is its own.
  bool tell_leak() {
    for (const Group& group : groups_) {
      if (!is_mixed(group)) { continue; }
      for (const Astray& at : group.elements) {
        const auto& leaks = map_.leaks[static_cast<std::size_t>(at.expert)];
        if (leaks.empty()) { continue; }
        say("sums_of_another_expert",
            fmt::format(
                "{} of expert {} holds what expert {} computed beside its own: sums are not "
                "cleared between experts",
                output(), at.expert, leaks.front()));
        return true;
      }
    }
    return false;
  }

  void tell_largest() {
    // Of as large ones the one that begins first.
    const auto less = [](const Group& a, const Group& b) {
      if (a.elements.size() != b.elements.size()) { return a.elements.size() < b.elements.size(); }
      const Astray &first = a.elements.front(), &other = b.elements.front();
      return std::tuple(first.expert, first.row, first.col) >
             std::tuple(other.expert, other.row, other.col);
    };
    const Group& group = *std::ranges::max_element(groups_, less);
    const ExpertBox box = box_of(group);
    tell(group, box);
    if (is_of_last(group.from)) { reading_.sentence += ", in the last product of the reduction"; }
  }

  void tell(const Group& group, const ExpertBox& box) {
    switch (std::get<0>(group.sign)) {
      case Source::Kind::kNothing:
        reading_.names_the_damage = true;
        return say("elements_left_out",
                   place(box) + (spec_.acc > 0 && group.from == From::kOldValues
                                     ? " loses its old values"
                                     : " gets nothing of the product: zeros stand there"));
      case Source::Kind::kUnwritten:
        reading_.names_the_damage = true;
        return say("elements_left_out", place(box) + " is never written");
      case Source::Kind::kMixed:
      case Source::Kind::kLine:
        break;
    }
    if (group.from == From::kOldValues) { return tell_old_values(group, box); }
    tell_displaced(group, box);
  }

  void tell_old_values(const Group& group, const ExpertBox& box) {
    const auto [kind, experts, by] = group.sign;
    if (experts != 0) {
      return say("old_values_of_another_expert",
                 fmt::format("what {} adds to are the old values of expert {}", place(box),
                             box.expert + experts));
    }
    say("old_values_of_others",
        fmt::format("what {} adds to are the old values {} elements {}", place(box),
                    by > 0 ? by : -by, by > 0 ? "after its own" : "before its own"));
  }

  const Group* find(From from, const Sign& sign) const {
    const auto found = std::ranges::find_if(
        groups_, [&](const Group& group) { return group.from == from && group.sign == sign; });
    return found == groups_.end() ? nullptr : &*found;
  }

  void tell_displaced(const Group& group, const ExpertBox& box) {
    const auto [kind, experts, by] = group.sign;
    const bool of_rows = is_of_rows(group.from), of_last = is_of_last(group.from);
    const std::string_view line = of_rows ? "row" : "column";
    const Index first = of_rows ? box.first_row : box.first_col;
    const Index last = of_rows ? box.last_row : box.last_col;
    const std::string should = lines(line, first + by, last + by);
    if (experts == 0) {
      const Group* back = find(group.from, {kind, 0, -by});
      const bool exchanged = back && back->elements.size() == group.elements.size();
      return say(of_rows ? "rows_of_others" : "columns_of_others",
                 fmt::format("{} is what {} should be{}", place(box), should,
                             exchanged ? ", and the other way round: they are exchanged" : ""));
    }
    const Index other = box.expert + experts;
    const From beside = of_last ? (of_rows ? From::kLastCols : From::kLastRows)
                                : (of_rows ? From::kCols : From::kRows);
    const bool both = std::ranges::any_of(groups_, [&, away = experts](const Group& each) {
      return each.from == beside && std::get<1>(each.sign) == away;
    });
    if (both) {
      return say("operands_of_another_expert",
                 fmt::format("{} is what {} of expert {} should be", place(box), should, other));
    }
    const Operation& op = operation(spec_.pass);
    const Role role = of_rows ? op.a.role : op.b.role;
    say("operands_of_another_expert",
        fmt::format("{} is multiplied from the {} of expert {}{}", place(box), name(role), other,
                    by == 0 ? "" : ", " + should));
  }

  const OperandMap& map_;
  const CaseSpec& spec_;
  std::vector<Group> groups_;
  MapReading reading_;
};

}  // namespace

std::optional<MapReading> read_map(const OperandMap& map) { return Reader(map).read(); }

}  // namespace assay
