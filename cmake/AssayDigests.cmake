# Digests of the built-in kernels' sources, compiled into the library that writes certificates:
# assay_kernel_digests(TARGET), with one row here a kernel.

# assay_digest_row(NAME LANGUAGE PATTERNS...): the sources that patterns name, and their compiler.
function(assay_digest_row name language)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGN})
  list(FILTER sources EXCLUDE REGEX "/plugin_entry")
  if(language STREQUAL CUDA)
    set(compiler "nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
  else()
    set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(REGEX REPLACE " +" " " flags
    "${CMAKE_${language}_FLAGS} ${CMAKE_${language}_FLAGS_${type}} sanitize=${ASSAY_SANITIZE}")
  list(JOIN sources "," joined)
  set(compiled "${compiler} ${flags}")
  if(language STREQUAL CUDA AND NOT ASSAY_CUDA_KERNELS)
    set(compiled -)
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_DIGEST_WORDS
    "${name}" "${compiled}" ${joined})
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY ASSAY_DIGEST_SOURCES ${sources})
endfunction()

function(assay_kernel_digests target)
  set(kernels ${PROJECT_SOURCE_DIR}/src/kernels)
  assay_digest_row(cpu CXX
    ${kernels}/cpu/*.cpp ${kernels}/schedule/*.cpp ${kernels}/call_*.cpp)
  assay_digest_row(loop CXX
    ${kernels}/baselines/loop.cpp ${kernels}/baselines/baseline_manifest.cpp
    ${kernels}/baselines/dense_product.cpp ${kernels}/call_*.cpp)
  assay_digest_row(padded CXX
    ${kernels}/baselines/padded.cpp ${kernels}/baselines/baseline_manifest.cpp
    ${kernels}/baselines/dense_product.cpp ${kernels}/call_*.cpp)
  foreach(family sm80 sm90)
    set(sources ${kernels}/cuda/${family}/*.cu ${kernels}/cuda/device_call.cu
      ${kernels}/cuda/CMakeLists.txt)  # it has the architectures
    assay_digest_row(${family} CUDA ${sources})
    assay_digest_row(${family}+zero_tail CUDA ${sources} ${kernels}/cuda/zero_tail.cu)
  endforeach()
  get_property(words GLOBAL PROPERTY ASSAY_DIGEST_WORDS)
  get_property(sources GLOBAL PROPERTY ASSAY_DIGEST_SOURCES)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/kernel_digests.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND assay-digest ${out} ${out}.d ${PROJECT_SOURCE_DIR} "${words}"
    DEPENDS assay-digest ${sources} DEPFILE ${out}.d
    COMMENT "Digests of the kernels' sources" COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
