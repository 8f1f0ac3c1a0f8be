// Round to nearest with subnormals kept, whatever a plug-in or a library left behind.
#pragma once

#include <cfenv>

namespace assay::oracle {

// While one lives, the calling thread and the threads that it starts compute as IEEE 754 says.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace assay::oracle
