# What the folders of planted defects share: a patch file's header, its patched copies, its entry in
# the list that `assay selftest` reads.

# Sets `changed` (files from the project's root) and `outputs` (their patched copies under
# `overlay`), which a rule of the build makes.
function(assay_plant patch overlay changed outputs)
  get_filename_component(name ${patch} NAME_WE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
  file(STRINGS ${patch} files REGEX "^\\+\\+\\+ b/")
  list(TRANSFORM files REPLACE "^\\+\\+\\+ b/([^\t ]+).*" "\\1")
  set(originals ${files})
  list(TRANSFORM originals PREPEND ${PROJECT_SOURCE_DIR}/)
  set(copies ${files})
  list(TRANSFORM copies PREPEND ${overlay}/)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/apply_patch.cmake)
  add_custom_command(
    OUTPUT ${copies}
    COMMAND ${CMAKE_COMMAND} -DPATCH=${patch} -DOVERLAY=${overlay} -DROOT=${PROJECT_SOURCE_DIR}
            "-DFILES=${files}" -P ${script}
    DEPENDS ${patch} ${originals} ${script}
    COMMENT "Planting ${name}" VERBATIM)
  set(${changed} ${files} PARENT_SCOPE)
  set(${outputs} ${copies} PARENT_SCOPE)
endfunction()

# Calls `plant` (a function of patch and legal) for every patch of the current folder, and of its
# folder legal/.
function(assay_plant_folder plant)
  file(GLOB patches CONFIGURE_DEPENDS *.patch)
  foreach(patch IN LISTS patches)
    cmake_language(CALL ${plant} ${patch} false)
  endforeach()
  file(GLOB patches CONFIGURE_DEPENDS legal/*.patch)
  foreach(patch IN LISTS patches)
    cmake_language(CALL ${plant} ${patch} true)
  endforeach()
endfunction()

# Appends the patch's entry to the global property `list`. `plugin`: a path, relative ones from the
# list's folder.
function(assay_list_defect list patch legal plugin)
  get_filename_component(name ${patch} NAME_WE)
  file(STRINGS ${patch} header REGEX "^(kind|report|sentence|expected|first|diagnosis|smallest): ")
  set(entry "{\"name\": \"${name}\", \"legal\": ${legal}, \"plugin\": \"${plugin}\"")
  foreach(line IN LISTS header)
    string(REGEX MATCH "^([a-z]+): (.*)$" matched "${line}")
    string(REPLACE "\"" "'" value "${CMAKE_MATCH_2}")
    string(REPLACE ";" "," value "${value}")  # would end a list entry
    string(APPEND entry ", \"${CMAKE_MATCH_1}\": \"${value}\"")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ${list} "${entry}}")
endfunction()

function(assay_write_defects list file)
  get_property(entries GLOBAL PROPERTY ${list})
  list(JOIN entries ",\n" entries)
  file(GENERATE OUTPUT ${file} CONTENT "[\n${entries}\n]\n")
endfunction()
