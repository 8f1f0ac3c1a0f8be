# One component, `assay`: libraries with their headers, the command with its worker and corpus, and
# a CMake package. `cmake --install BUILD --component assay` leaves out what dependencies install.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The C header that a plug-in needs, alone and without a library: #include "assay/abi.h".
add_library(assay_abi INTERFACE)
add_library(assay::abi ALIAS assay_abi)
set_target_properties(assay_abi PROPERTIES EXPORT_NAME abi)
target_include_directories(assay_abi INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(FILES src/contract/assay/abi.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay COMPONENT assay)

get_property(libraries GLOBAL PROPERTY ASSAY_LIBRARIES)
install(TARGETS assay_abi ${libraries} EXPORT assay-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT assay
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay COMPONENT assay
  FILE_SET bare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay COMPONENT assay)

# The worker lies beside the command, in the build folder as in the prefix.
install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT assay)
if(ASSAY_STATIC)  # two programs with all libraries in them would be twice as large
  install(CODE "file(CREATE_LINK assay
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/assay-worker\" SYMBOLIC)"
    COMPONENT assay)
else()
  install(TARGETS assay-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT assay)
endif()
install(DIRECTORY corpus/ DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/corpus COMPONENT assay)
install(DIRECTORY src/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/examples
  COMPONENT assay)
install(FILES LICENSE README.md properties/checks.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/assay COMPONENT assay)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/assay.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  COMPONENT assay)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${package} COMPONENT assay)
configure_package_config_file(cmake/assay-config.cmake.in assay-config.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(assay-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/AssayCertify.cmake ${CMAKE_CURRENT_BINARY_DIR}/assay-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/assay-config-version.cmake
  DESTINATION ${package} COMPONENT assay)
