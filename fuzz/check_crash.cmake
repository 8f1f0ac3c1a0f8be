# cmake -D FUZZER=... -D KERNEL=... -D FOLDER=... -P check_crash.cmake
# A kernel that fails ends the fuzzer with exit code 1 (never 77, which reads as "skipped" to some),
# a replay line, and an artifact that replays.
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${KERNEL} DESTINATION ${FOLDER})
get_filename_component(name ${KERNEL} NAME)
set(kernel ${FOLDER}/${name})
set(ENV{ASSAY_FUZZ_KERNEL} ${kernel})
execute_process(
  COMMAND ${FUZZER} -runs=20000 -artifact_prefix=${FOLDER}/
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 120)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "exit code ${result}, expected 1\n${output}")
endif()
# A path is not a pattern.
string(REPLACE "--kernel '${kernel}'" "--kernel KERNEL" printed "${output}")
string(REPLACE "--kernel ${kernel}" "--kernel KERNEL" printed "${printed}")
if(NOT printed MATCHES "replay: ./run assay run 'pass=[^']*' --kernel KERNEL")
  message(FATAL_ERROR "no replay line\n${output}")
endif()
file(GLOB artifacts ${FOLDER}/crash-*)
list(LENGTH artifacts count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${count} artifacts, expected 1\n${output}")
endif()
file(READ ${artifacts} line)
if(NOT line MATCHES "^pass=")
  message(FATAL_ERROR "the artifact is not a case: ${line}")
endif()
