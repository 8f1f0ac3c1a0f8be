# cmake -D SOURCE_DIR=... -D FOLDER=... -P odd_folder.cmake
# The project configures the same in a folder whose path holds what its own file patterns name, and
# characters that mean something in a pattern.
set(parent "${FOLDER}/c++ (old)/bench/drivers/examples/plugin_entry.cpp")
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${parent})
file(CREATE_LINK ${SOURCE_DIR} ${parent}/assay SYMBOLIC)
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${parent}/assay -B ${FOLDER}/build -G Ninja -D ASSAY_TESTS=OFF
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
foreach(object oracle/CMakeFiles/assay_oracle.dir/judge.cpp.o
               src/kernels/CMakeFiles/assay_kernels.dir/registry.cpp.o)
  execute_process(COMMAND ninja -C ${FOLDER}/build -n ${object}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${object} is not built there\n${output}")
  endif()
endforeach()
