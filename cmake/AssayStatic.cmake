# Programs that need nothing but the C and C++ libraries, which every distribution has (and, where
# kernels run there, the GPU's driver), so that they run on a machine without our packages. The C++
# library stays shared: a plug-in's exceptions could not be caught otherwise.

find_library(openblas_archive NAMES libopenblas.a HINTS ${openblas_LIBDIR} REQUIRED)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a
  OUTPUT_VARIABLE gomp_archive OUTPUT_STRIP_TRAILING_WHITESPACE)
set_property(TARGET PkgConfig::openblas PROPERTY INTERFACE_LINK_LIBRARIES
  ${openblas_archive} ${gomp_archive} Threads::Threads ${CMAKE_DL_LIBS} m)
# The packages have fmt as a shared library only; its headers hold all of it.
add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:FMT_HEADER_ONLY>)
add_link_options(-Wl,--as-needed -Wl,--gc-sections)
