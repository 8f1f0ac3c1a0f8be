// Pieces of the report as HTML: escaping, tables, and small charts in inline SVG, coloured by the
// variables of the page's style sheet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Replacement {
  char from;
  std::string_view to;
};
std::string replaced(std::string_view text, std::span<const Replacement> replacements);

// For HTML and XML, in elements and in quoted attributes; printable as of plain_lines.
std::string escaped(std::string_view text);

extern const std::string_view kStyleSheet;  // report.css

// A whole page: no script, nothing loaded, light and dark, for a phone and for paper.
std::string html_page(std::string_view title, std::string_view body);

struct Column {
  std::string title;
  bool number = false;
  bool minor = false;  // left out on a narrow screen
};
// Cells are HTML; the first one of a row is its heading.
std::string html_table(std::string_view caption, const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows);

// A figure: an SVG of this size in user units, that scales down but not up, with what it shows in
// words for those who cannot see it.
struct Figure {
  std::string title, description;
  double width = 320, height = 180;
  std::string content;  // SVG
};
std::string html_figure(const Figure& figure);

// SVG pieces. `css` names a class of the page's style sheet; `tip` shows on hovering.
std::string svg_rect(double x, double y, double width, double height, std::string_view css,
                     std::string_view tip = "");
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css);
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text,
                     std::string_view css = "label");
std::string svg_path(const std::vector<std::pair<double, double>>& points, std::string_view css);

// 1234567 as 1,234,567.
std::string grouped_digits(long long value);
std::string percent(double share);

}  // namespace assay
