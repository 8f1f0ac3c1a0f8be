// Number tables of numpy's .npy files: arrays of integers of up to three axes, and of truth values.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/import/number_tables.h"

namespace assay {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = 3;

struct NpyHeader {
  char kind = 'i';  // i, u or b
  std::size_t bytes = 4;
  bool big_endian = false, fortran_order = false;
  std::vector<Index> shape{};
  std::string_view data{};
};

// What follows 'key': in the header's dict, up to its end.
std::optional<std::string_view> field(std::string_view dict, std::string_view key) {
  const std::size_t at = dict.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) { return std::nullopt; }
  return trim(dict.substr(at + key.size() + 3));
}

Result<std::vector<Index>> shape_of(const ImportSource& source, std::string_view text) {
  std::vector<Index> shape;
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    return source.refuse(0, "the header of the .npy file names no shape");
  }
  Index cells = 1;
  for (const std::string_view piece : split_outside_parentheses(text.substr(1, end - 1), ',')) {
    if (trim(piece).empty()) { continue; }
    const auto size = parse_index(trim(piece));
    if (!size || *size < 1 || *size > kMostImportedCounts / cells) {
      return source.refuse(0, fmt::format("shape {}: an axis is not from 1 on, or there are more "
                                          "than {} numbers",
                                          quote(text.substr(0, end + 1)), kMostImportedCounts));
    }
    cells *= *size;
    shape.push_back(*size);
  }
  if (shape.empty() || shape.size() > kMostAxes) {
    return source.refuse(0, fmt::format("{} axes; allowed are 1 to {}", shape.size(), kMostAxes));
  }
  return shape;
}

Result<NpyHeader> read_header(const ImportSource& source) {
  const std::string_view text = source.text;
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::size_t>(static_cast<unsigned char>(text[i])) : 0;
  };
  const bool wide = byte(6) >= 2;
  std::size_t length = byte(8) | byte(9) << 8;
  if (wide) { length |= byte(10) << 16 | byte(11) << 24; }
  const std::size_t begin = wide ? 12 : 10;
  if (byte(6) < 1 || byte(6) > 3 || text.size() < begin || text.size() - begin < length) {
    return source.refuse(0, "the header of the .npy file is cut off, or of another version");
  }
  const std::string_view dict = text.substr(begin, length);
  NpyHeader header;
  header.data = text.substr(begin + length);
  const auto type = field(dict, "descr"), order = field(dict, "fortran_order"),
             shape = field(dict, "shape");
  if (!type || !order || !shape || type->size() < 5 || type->front() != '\'') {
    return source.refuse(0, "the header of the .npy file names no type, order or shape");
  }
  header.kind = (*type)[2];
  header.bytes = static_cast<std::size_t>((*type)[3] - '0');
  header.big_endian = (*type)[1] == '>';
  header.fortran_order = order->starts_with("True");
  const bool integers = (header.kind == 'i' || header.kind == 'u') && (*type)[4] == '\'' &&
                        std::has_single_bit(header.bytes) && header.bytes <= 8;
  if (!integers && !(header.kind == 'b' && header.bytes == 1)) {
    return source.refuse(0, fmt::format("type {}: allowed are integers of 1 to 8 bytes and '|b1'",
                                        quote(type->substr(0, 5))));
  }
  auto read = shape_of(source, *shape);
  ASSAY_TRY(read);
  header.shape = std::move(*read);
  return header;
}

Index element(const NpyHeader& header, std::size_t at) {
  std::uint64_t bits = 0;
  const std::string_view raw = header.data.substr(at * header.bytes, header.bytes);
  for (std::size_t i = 0; i < header.bytes; ++i) {
    const std::size_t from = header.big_endian ? i : header.bytes - 1 - i;
    bits = bits << 8 | static_cast<unsigned char>(raw[from]);
  }
  const std::size_t unused = 64 - 8 * header.bytes;
  if (header.kind == 'i') { return static_cast<Index>(bits << unused) >> unused; }
  return static_cast<Index>(std::min<std::uint64_t>(bits, INT64_MAX));
}

// Of a map of tokens to experts: each expert's tokens.
NumberBlock summed(const NumberBlock& map) {
  NumberRow sums{std::vector<Index>(map.rows.front().values.size()), map.where};
  for (const NumberRow& row : map.rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) { sums.values[i] += row.values[i] != 0; }
  }
  return {.rows = {std::move(sums)}, .where = map.where, .meaning = Meaning::kLoads};
}

}  // namespace

bool is_npy(std::string_view text) { return text.starts_with(kMagic); }

Result<NumberTables> read_npy_tables(const ImportSource& source) {
  const auto header = read_header(source);
  ASSAY_TRY(header);
  std::vector<Index> shape = header->shape;
  const bool of_planes = shape.size() == kMostAxes;
  while (shape.size() < kMostAxes) { shape.insert(shape.begin(), 1); }
  const auto planes = static_cast<std::size_t>(shape[0]), rows = static_cast<std::size_t>(shape[1]),
             columns = static_cast<std::size_t>(shape[2]);
  if (header->data.size() / header->bytes < planes * rows * columns) {
    return source.refuse(0,
                         fmt::format("{} bytes of numbers, the shape needs {}", header->data.size(),
                                     planes * rows * columns * header->bytes));
  }
  NumberTables tables;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    NumberBlock block{.rows = {}, .where = of_planes ? fmt::format("[{}]", plane) : ""};
    for (std::size_t row = 0; row < rows; ++row) {
      NumberRow& to = block.rows.emplace_back(
          NumberRow{{}, header->shape.size() == 1 ? "" : fmt::format("{}[{}]", block.where, row)});
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = header->fortran_order ? (column * rows + row) * planes + plane
                                                     : (plane * rows + row) * columns + column;
        to.values.push_back(element(*header, at));
      }
    }
    tables.blocks.push_back(header->kind == 'b' ? summed(block) : std::move(block));
  }
  return tables;
}

}  // namespace assay
