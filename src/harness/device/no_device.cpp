// A build without CUDA has no device.
#include "src/harness/device/device.h"

namespace assay {

#if !defined(ASSAY_CUDA)
Result<std::unique_ptr<Device>> open_device() {
  return make_error(
      "this build has no GPU harness, whatever driver and compute capability there are "
      "(configure with -DASSAY_CUDA=ON)");
}
#endif

}  // namespace assay
