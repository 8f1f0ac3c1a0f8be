# The CUDA language for our kernels: C++20, warnings of the host compiler, never fast-math.

if(NOT CMAKE_CUDA_COMPILER)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS /usr/local/cuda/bin)
endif()
enable_language(CUDA)
find_package(CUDAToolkit 13 REQUIRED)
if(CMAKE_VERSION VERSION_LESS 3.25.2)  # 3.25.1 does not know that nvcc takes it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
target_compile_options(assay_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${ASSAY_WERROR}>>:-Werror=all-warnings>)
