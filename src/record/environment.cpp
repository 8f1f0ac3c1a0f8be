#include "src/record/environment.h"

#include <ctime>
#include <fstream>
#include <sys/utsname.h>
#include <thread>

#include <fmt/format.h>

#include "src/core/digest.h"
#include "src/core/text.h"

namespace assay {
namespace {

// The value of the first line that begins with key: `key<separator>value`.
std::string value_in(const std::string& file, const std::string& key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) { continue; }
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) { continue; }
    std::string_view value = trim(std::string_view(line).substr(at + 1));
    if (value.size() > 1 && value.front() == '"') { value = value.substr(1, value.size() - 2); }
    return std::string(value);
  }
  return {};
}

// As CUDA counts them.
std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

}  // namespace

Environment this_environment(const DeviceFacts& device) {
  Environment environment;
  environment.system = value_in("/etc/os-release", "PRETTY_NAME", '=');
  utsname names{};
  if (::uname(&names) == 0) {
    environment.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  environment.cpu = value_in("/proc/cpuinfo", "model name", ':');
  environment.cores = std::thread::hardware_concurrency();
  if (device.devices == 0) { return environment; }
  environment.gpu = device.name;
  environment.compute_capability =
      fmt::format("{}.{}", device.capability / 10, device.capability % 10);
  environment.driver = device.driver_text;
  if (environment.driver.empty()) { environment.driver = "for CUDA " + version(device.driver); }
  environment.cuda_runtime = version(device.runtime);
  return environment;
}

Harness this_harness() {
  Harness harness{.version = ASSAY_VERSION, .compiler = ASSAY_COMPILER, .sha256 = ""};
  if (const auto digest = sha256_of_file("/proc/self/exe")) { harness.sha256 = *digest; }
  return harness;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace assay
