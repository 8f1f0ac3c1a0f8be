# Copies FILES from ROOT to OVERLAY and applies PATCH there; an error names the patch.
foreach(file IN LISTS FILES)
  get_filename_component(folder ${OVERLAY}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${ROOT}/${file} ${OVERLAY}/${file})
endforeach()
execute_process(COMMAND patch --quiet --forward --strip=1 --directory=${OVERLAY} --input=${PATCH}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  get_filename_component(name ${PATCH} NAME)
  file(GLOB_RECURSE left_over ${OVERLAY}/*)
  file(REMOVE ${left_over})
  message(FATAL_ERROR "defect ${name} no longer applies:\n${output}")
endif()
