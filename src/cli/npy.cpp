#include "src/cli/npy.h"

#include <fmt/format.h>

#include "src/core/file.h"

namespace assay {
namespace {

// Format 1.0: magic, version, header length, a Python dict padded with blanks to a multiple of 64.
std::string npy_header(const std::string& type, const std::string& shape) {
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::size_t before = 10;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

Status write(const std::string& path, const std::string& header, const void* data,
             std::size_t bytes) {
  return write_file(path, header + std::string(static_cast<const char*>(data), bytes));
}

Status write_floats(const std::string& path, const std::vector<float>& values, Index rows,
                    Index cols) {
  return write(path, npy_header("<f4", fmt::format("({}, {})", rows, cols)), values.data(),
               values.size() * sizeof(float));
}

}  // namespace

Status write_npy(const std::string& path, Format format, const std::byte* elements, Index rows,
                 Index cols) {
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(
        decode(format, load_bits(format, elements + static_cast<Index>(i) * size_bytes(format))));
  }
  return write_floats(path, values, rows, cols);
}

Status write_npy(const std::string& path, const DenseScales& scales) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(scales.rows * scales.cols));
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      values.push_back(static_cast<float>(decode(scales.format, scales.load(row, col))));
    }
  }
  return write_floats(path, values, scales.rows, scales.cols);
}

Status write_npy(const std::string& path, const std::vector<Index>& values) {
  return write(path, npy_header("<i8", fmt::format("({},)", values.size())), values.data(),
               values.size() * sizeof(Index));
}

Status write_npy(const std::string& path, const std::vector<float>& values) {
  return write(path, npy_header("<f4", fmt::format("({},)", values.size())), values.data(),
               values.size() * sizeof(float));
}

}  // namespace assay
