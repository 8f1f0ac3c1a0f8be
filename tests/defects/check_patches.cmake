# Fails unless every patch under FOLDER applies to the sources under ROOT, which stay as they are.
file(GLOB_RECURSE patches ${FOLDER}/*.patch)
if(NOT patches)
  message(FATAL_ERROR "no patches in ${FOLDER}")
endif()
foreach(patch IN LISTS patches)
  execute_process(
    COMMAND patch --dry-run --quiet --forward --strip=1 --directory=${ROOT} --input=${patch}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${patch} does not apply\n${output}")
  endif()
endforeach()
