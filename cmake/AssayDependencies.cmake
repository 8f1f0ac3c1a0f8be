# Libraries of the distribution only; `run` installs them, nothing is downloaded at configure time.
# cmake/assay-config.cmake.in finds the same again for those who link an installed Assay.

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.81 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ${ASSAY_STATIC})
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET GLOBAL openblas)
if(ASSAY_MPI)
  find_package(MPI REQUIRED COMPONENTS C)  # libopenmpi-dev, openmpi-bin
endif()
if(ASSAY_STATIC)
  include(AssayStatic)
endif()
if(ASSAY_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
