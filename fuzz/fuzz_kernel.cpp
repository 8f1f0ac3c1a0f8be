// A kernel against the oracle: whatever case of its manifest it is given, in every pass, each owned
// element is right and no other byte is touched. The kernel is `cpu`, or the one that
// ASSAY_FUZZ_KERNEL names (a built-in one, or the path of a shared object), in this process.
#include <cstdio>
#include <cstdlib>

#include "fuzz/case_file.h"
#include "fuzz/crash_line.h"
#include "fuzz/kernel_trial.h"
#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/problem/case_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto spec = assay::parse_case_file({reinterpret_cast<const char*>(data), size});
  if (!spec) { return -1; }
  assay::KernelTrial& trial = assay::KernelTrial::from_environment();
  if (!assay::is_within(*spec, trial.space())) { return -1; }
  if (assay::wants_notes()) { assay::note(assay::case_words_note(*spec)); }
  const assay::Trial result = trial.run(*spec);
  if (!result.failed()) { return 0; }
  assay::forget_line();
  std::fputs(assay::failure_text(result, trial.kernel()).c_str(), stderr);
  std::abort();
}
