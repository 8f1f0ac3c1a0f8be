# Installs the component into a prefix that holds nothing else, and checks that a dependency added
# nothing to it. cmake -D BINARY_DIR=... -D PREFIX=... -P install.cmake

file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${PREFIX}
  --component assay OUTPUT_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install failed")
endif()
file(GLOB_RECURSE strangers ${PREFIX}/*rapidcheck* ${PREFIX}/*gtest*)
if(strangers)
  message(FATAL_ERROR "installed with Assay, but not part of it: ${strangers}")
endif()
