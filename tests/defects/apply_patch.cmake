# Copies FILES from ROOT to OVERLAY and applies PATCH there; an error names the patch. Files of an
# earlier form of the patch would be found before those that it leaves alone now.
file(REMOVE_RECURSE ${OVERLAY})
foreach(file IN LISTS FILES)
  get_filename_component(folder ${OVERLAY}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${ROOT}/${file} ${OVERLAY}/${file})
endforeach()
execute_process(COMMAND patch --quiet --forward --strip=1 --directory=${OVERLAY} --input=${PATCH}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  get_filename_component(name ${PATCH} NAME)
  file(REMOVE_RECURSE ${OVERLAY})
  message(FATAL_ERROR "defect ${name} no longer applies:\n${output}")
endif()
