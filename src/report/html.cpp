#include "src/report/html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {

std::string replaced(std::string_view text, std::span<const Replacement> replacements) {
  std::string out;
  for (const char c : text) {
    const auto found = std::ranges::find(replacements, c, &Replacement::from);
    out += found == replacements.end() ? std::string_view(&c, 1) : found->to;
  }
  return out;
}

std::string escaped(std::string_view text) {
  constexpr Replacement kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  return replaced(plain_lines(text), kEntities);
}

// Roles are spelt out: a narrow screen lays rows out as blocks, and they must stay a table to those
// who listen to it.
std::string html_table(std::string_view caption, const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  const auto css = [](const Column& column) {
    return fmt::format(" class=\"{}{}\"", column.number ? "number" : "wide",
                       column.minor ? " minor" : "");
  };
  std::string html = fmt::format(
      "<table role=\"table\"><caption>{}</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">",
      escaped(caption));
  for (const Column& column : columns) {
    html += fmt::format("<th role=\"columnheader\" scope=\"col\"{}>{}</th>", css(column),
                        escaped(column.title));
  }
  html += "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  for (const auto& row : rows) {
    html += "<tr role=\"row\">";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += i == 0 ? fmt::format("<th role=\"rowheader\" scope=\"row\"{}>{}</th>",
                                   css(columns[i]), row[i])
                     : fmt::format("<td role=\"cell\"{} data-label=\"{}\">{}</td>", css(columns[i]),
                                   escaped(columns[i].title), row[i]);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string html_figure(const Figure& figure) {
  return fmt::format(
      "<figure><svg role=\"img\" viewBox=\"0 0 {:g} {:g}\" style=\"max-width:{:g}px\" "
      "aria-label=\"{}\"><title>{}</title>{}</svg><figcaption>{}</figcaption></figure>\n",
      figure.width, figure.height, figure.width, escaped(figure.title + ": " + figure.description),
      escaped(figure.title), figure.content, escaped(figure.description));
}

std::string svg_rect(double x, double y, double width, double height, std::string_view css,
                     std::string_view tip) {
  const std::string head =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"",
                  x, y, width, height, css);
  return tip.empty() ? head + "/>" : fmt::format("{}><title>{}</title></rect>", head, escaped(tip));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>",
                     x1, y1, x2, y2, css);
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text,
                     std::string_view css) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>", x,
                     y, anchor, css, escaped(text));
}

std::string svg_path(const std::vector<std::pair<double, double>>& points, std::string_view css) {
  std::string data;
  for (const auto& [x, y] : points) {
    data += fmt::format("{}{:.1f} {:.1f}", data.empty() ? "M" : "L", x, y);
  }
  return fmt::format("<path d=\"{}\" class=\"{}\"/>", data, css);
}

std::string grouped_digits(long long value) {
  std::string digits = fmt::format("{}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0);
       at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

}  // namespace assay
