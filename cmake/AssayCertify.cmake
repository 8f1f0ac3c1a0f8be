# assay_certify(TARGET my_kernel [PROFILE ci] [OUT DIR] [WAIVE FILE] [SIGN KEY] [TIMEOUT SECONDS]
#               [OPTIONS words...]): a test certify.my_kernel, label assay, that certifies the
# plug-in that the target builds. Results, certificate, report and JUnit lie in OUT (default: the
# folder `certificates` of the build folder). KERNEL takes a path, or py:file.py, instead of TARGET.
function(assay_certify)
  cmake_parse_arguments(arg "" "TARGET;KERNEL;PROFILE;OUT;WAIVE;SIGN;TIMEOUT" "OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_certify: '${arg_UNPARSED_ARGUMENTS}' is unknown; allowed: TARGET, "
                        "KERNEL, PROFILE, OUT, WAIVE, SIGN, TIMEOUT, OPTIONS")
  endif()
  if(arg_TARGET)
    set(name ${arg_TARGET})
    set(kernel $<TARGET_FILE:${arg_TARGET}>)
  elseif(arg_KERNEL)
    get_filename_component(name ${arg_KERNEL} NAME_WE)
    set(kernel ${arg_KERNEL})
  else()
    message(FATAL_ERROR "assay_certify: TARGET is missing, a library target that exports "
                        "assay_manifest_v1 and assay_run_v1")
  endif()
  if(NOT arg_PROFILE)
    set(arg_PROFILE ci)
  endif()
  if(NOT arg_OUT)
    set(arg_OUT ${CMAKE_CURRENT_BINARY_DIR}/certificates)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1800)
  endif()
  set(words --profile ${arg_PROFILE} --out ${arg_OUT} --quiet ${arg_OPTIONS})
  if(arg_WAIVE)
    list(APPEND words --waive ${arg_WAIVE})
  endif()
  if(arg_SIGN)
    list(APPEND words --sign ${arg_SIGN})
  endif()
  add_test(NAME certify.${name} COMMAND ${assay_COMMAND} certify ${kernel} ${words})
  # Shares the cores out by itself.
  set_tests_properties(certify.${name} PROPERTIES LABELS assay RUN_SERIAL ON
    TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "ASSAY_CORPUS=${assay_CORPUS}")
endfunction()
