// assay list: the names that other commands take.
#include <fmt/format.h>

#include "properties/check.h"
#include "properties/generators/generator.h"
#include "src/campaign/distribution.h"
#include "src/campaign/profile.h"
#include "src/cli/command.h"
#include "src/core/text.h"
#include "src/kernels/registry.h"
#include "src/problem/case_spec.h"
#include "src/problem/convention.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

struct Row {
  std::string name, summary;
};

std::vector<Row> kernels() {
  std::vector<Row> rows;
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    rows.push_back({std::string(kernel.name), std::string(kernel.summary)});
  }
  rows.push_back({"PATH.so", "a plug-in with the two symbols of src/contract/assay/abi.h"});
  rows.push_back({"py:FILE.py", "a Python function with @assay.kernel"});
  rows.push_back({"tvmffi:LIB.so:FUNCTION", "a function behind TVM-FFI's C ABI"});
  return rows;
}

std::vector<Row> checks() {
  std::vector<Row> rows;
  for (const Check& check : every_name().checks) {
    rows.push_back({std::string(check.name), std::string(check.summary)});
  }
  return rows;
}

std::vector<Row> generators() {
  std::vector<Row> rows;
  for (const Generator& generator : all_generators()) {
    rows.push_back({std::string(generator.name), std::string(generator.sentence)});
  }
  return rows;
}

std::vector<Row> profiles() {
  std::vector<Row> rows;
  for (const std::string& name : profile_names()) {
    const auto profile = load_profile(name, every_name());
    if (!profile) {
      rows.push_back({name, "refused: " + profile.error().message});
      continue;
    }
    const std::string certifies = profile->certifies_cpu && profile->certifies_cuda ? "cpu and cuda"
                                  : profile->certifies_cpu                          ? "cpu"
                                  : profile->certifies_cuda                         ? "cuda"
                                                                                    : "no";
    rows.push_back(
        {name, fmt::format("{} cases, certifies {} kernels", profile->cases(), certifies)});
  }
  return rows;
}

std::vector<Row> fills() {
  std::vector<Row> rows;
  for (const Fill fill : kAllFills) {
    rows.push_back({std::string(name(fill)), is_exact(fill) ? "exact in every order of summation"
                                                            : "judged by the error bound"});
  }
  return rows;
}

std::vector<Row> conventions() {
  std::vector<Row> rows;
  for (const Convention convention : kAllConventions) {
    rows.push_back({std::string(name(convention)), std::string(traits(convention).meaning)});
  }
  return rows;
}

std::vector<Row> classes() {
  std::vector<Row> rows;
  for (const CaseClass& entry : all_case_classes()) {
    rows.push_back({fmt::format("{}: {}", entry.group, entry.name), ""});
  }
  return rows;
}

struct ListTopic {
  std::string_view name;
  std::vector<Row> (*rows)();
};
constexpr ListTopic kListTopics[] = {{"kernels", kernels},       {"checks", checks},
                                     {"generators", generators}, {"profiles", profiles},
                                     {"fills", fills},           {"conventions", conventions},
                                     {"classes", classes}};

void print(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) { width = std::max(width, row.name.size()); }
  for (const Row& row : rows) {
    fmt::print("  {:<{}}  {}\n", one_line(row.name), width, one_line(row.summary));
  }
}

// What the even mixture, or a profile, draws for the kernel's manifest.
Result<std::vector<Row>> shares(const std::string& kernel, const std::string& profile_name) {
  Profile profile = even_profile(20, 1);
  if (!profile_name.empty()) {
    auto loaded = load_profile(profile_name, every_name());
    ASSAY_TRY(loaded);
    profile = std::move(*loaded);
  }
  const auto session = open_worker_session(kernel);
  ASSAY_TRY(session);
  const Distribution drawn = distribution_of(profile, (*session)->manifest());
  std::vector<Row> rows = classes();
  for (std::size_t number = 0; number < rows.size(); ++number) {
    rows[number].summary =
        fmt::format("{:>7} cases {:6.2f} %", drawn.in_class[number], 100 * drawn.share(number));
  }
  rows.push_back({"all", fmt::format("{:>7} cases", drawn.cases)});
  return rows;
}

}  // namespace

int run_list(const Words& words) {
  CLI::App app("Lists the names that other commands take.", "list");
  std::string wanted;
  std::vector<std::string> allowed;
  for (const ListTopic& topic : kListTopics) { allowed.emplace_back(topic.name); }
  app.add_option("TOPIC", wanted, "default: all of them")->check(one_of(allowed));
  std::string kernel, profile;
  app.add_option("--kernel", kernel, "with classes: how many of its cases are in each");
  app.add_option("--profile", profile, "with --kernel; default: every check with every generator")
      ->needs("--kernel");
  if (const auto exit = parse_words(app, words)) { return *exit; }
  if (!kernel.empty()) {
    if (wanted != "classes") { return refuse_input(app, "--kernel goes with 'list classes'"); }
    const auto rows = shares(kernel, profile);
    ASSAY_TRY_INPUT(app, rows);
    print(*rows);
    return kExitPassed;
  }
  for (const ListTopic& topic : kListTopics) {
    if (!wanted.empty() && wanted != topic.name) { continue; }
    if (wanted.empty()) { fmt::print("{}\n", topic.name); }
    print(topic.rows());
  }
  return kExitPassed;
}

}  // namespace assay
