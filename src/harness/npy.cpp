#include "src/harness/npy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/harness/judge_case.h"
#include "src/harness/operand_plan.h"

namespace assay {
namespace {

// The preamble is padded so that the data starts at a multiple of 64.
std::string preamble(const std::vector<Index>& shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kBeforeHeader = 10;
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}",
                                   fmt::join(shape, ", "));
  const std::size_t whole = kBeforeHeader + header.size() + 1;
  header.append((kAlignment - whole % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  return text + header;
}

std::vector<Index> shape_of(const Problem& problem, Role role) {
  const DenseOperand& operand = problem.operands[role];
  if (role != Role::kW) return {operand.rows, operand.cols};
  return {problem.spec.experts(), storage_rows(problem.spec), storage_cols(problem.spec)};
}

}  // namespace

Status write_npy(const std::string& file, const std::vector<Index>& shape, Format format,
                 const std::byte* elements) {
  std::ofstream stream(file, std::ios::binary);
  const std::string start = preamble(shape);
  stream.write(start.data(), static_cast<std::streamsize>(start.size()));
  Index count = 1;
  for (const Index size : shape) count *= size;
  constexpr Index kChunk = 4096;
  std::vector<float> values;
  for (Index first = 0; first < count; first += kChunk) {
    values.clear();
    for (Index i = first; i < std::min(count, first + kChunk); ++i) {
      const std::uint32_t bits = load_bits(format, elements + i * size_bytes(format));
      values.push_back(static_cast<float>(decode(format, bits)));
    }
    stream.write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  stream.close();
  if (stream) return {};
  return refuse(fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
}

Status dump_case(const std::string& folder, const Problem& problem,
                 const std::vector<std::byte>& output) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refuse(fmt::format("cannot make folder '{}': {}", folder, error.message()));
  const Role out = output_role(problem.spec.pass);
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    if (role == out && problem.spec.acc == 0) continue;
    const DenseOperand& operand = problem.operands[role];
    Status written = write_npy(fmt::format("{}/{}.npy", folder, name(role)),
                               shape_of(problem, role), operand.format, operand.bits.data());
    if (!written) return written;
  }
  const Format format = problem.output().format;
  const std::vector<std::byte> exact = exact_output(problem);
  Status written =
      write_npy(folder + "/expected.npy", shape_of(problem, out), format, exact.data());
  if (!written || output.size() != exact.size()) return written;
  return write_npy(folder + "/actual.npy", shape_of(problem, out), format, output.data());
}

}  // namespace assay
