// Single-threaded OpenBLAS from several threads of ours.
#pragma once

#include "oracle/fast/panel.h"
#include "src/core/index.h"

namespace assay::oracle {

// While one lives, OpenBLAS runs single-threaded in the threads that call pin_this_thread().
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
  static void pin_this_thread();
};

struct GemmShape {
  Index rows = 0, cols = 0, depth = 0;
  bool add = false;  // to what is there
};
// out [rows, cols], row-major without gaps.
void multiply_values(const Panel& a, const Panel& b, const GemmShape& shape, double* out);
void multiply_magnitudes(const Panel& a, const Panel& b, const GemmShape& shape, double* out);
void multiply_magnitudes(const Panel& a, const Panel& b, const GemmShape& shape, float* out);

}  // namespace assay::oracle
