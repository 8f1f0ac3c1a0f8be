// Marks code that the CPU and the GPU share; empty for a host compiler.
#pragma once

#if defined(__CUDACC__)
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif
