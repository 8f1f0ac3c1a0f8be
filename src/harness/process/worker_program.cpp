#include "src/harness/process/worker_program.h"

#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <unistd.h>

#include "src/harness/process/worker_loop.h"
#include "src/kernels/registry.h"

namespace assay {
namespace {

constexpr int kBadInput = 2;

bool parse_fd(std::string_view text, int& fd) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  return error == std::errc() && end == text.data() + text.size() && fd > STDERR_FILENO;
}

Result<ServedKernel> load(const std::string& spec) {
  auto kernel = load_kernel(spec);
  ASSAY_TRY(kernel);
  return ServedKernel{kernel->manifest_json, kernel->run, kernel->library, nullptr};
}

}  // namespace

int worker_program(int count, char** arguments) {
  int fd = -1;
  if (count != 4 || std::string_view(arguments[2]) != "--fd" || !parse_fd(arguments[3], fd)) {
    std::fputs("usage: assay-worker KERNEL --fd N (started by assay, N is its socket)\n", stderr);
    return kBadInput;
  }
  // Whatever the driver's starter left open is not the kernel's.
  close_range(STDERR_FILENO + 1, fd - 1, 0);
  close_range(fd + 1, ~0U, 0);
  // What the kernel left registered for exit must not run after the driver has seen the end.
  try {
    const std::string kernel = arguments[1];
    _exit(serve_kernel(fd, [&] { return load(kernel); }));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "assay-worker: %s\n", exception.what());
    _exit(kBadInput);
  }
}

}  // namespace assay
