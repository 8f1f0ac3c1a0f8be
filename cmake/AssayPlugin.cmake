# assay_cpu_plugin(NAME SOURCE_DIR): the cpu kernel as a shared object NAME.so, from a patched copy
# of its sources.
#
# SOURCE_DIR is an overlay laid out as the root of the repository: it holds the files that differ,
# for example SOURCE_DIR/src/kernels/schedule/tile_walk.h, complete when CMake configures; ""
# changes nothing. Its files win over the project's, headers by the order of include folders;
# everything else comes from the project. It may replace src/kernels/{cpu,schedule}/*,
# src/kernels/call_*.{h,cpp}, and any header that these include.
#
# An overlay without headers compiles only its own .cpp files; the others come from object libraries
# that all plug-ins share. An overlay with a header compiles the whole kernel again, some 3 s.

set(ASSAY_CPU_PLUGIN_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)

# The kernel's sources, relative to the root.
function(assay_cpu_plugin_sources result)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${ASSAY_CPU_PLUGIN_ROOT}
    ${ASSAY_CPU_PLUGIN_ROOT}/src/kernels/cpu/*.cpp
    ${ASSAY_CPU_PLUGIN_ROOT}/src/kernels/schedule/*.cpp
    ${ASSAY_CPU_PLUGIN_ROOT}/src/kernels/call_*.cpp)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(assay_cpu_plugin_options target)
  target_include_directories(${target} PRIVATE ${ARGN} ${ASSAY_CPU_PLUGIN_ROOT})
  target_link_libraries(${target} PRIVATE assay_flags Threads::Threads)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
endfunction()

# One object library for each source, made on first use: a plug-in links those that its overlay
# leaves alone.
function(assay_cpu_plugin_object source result)
  string(MAKE_C_IDENTIFIER assay_plugin_${source} target)
  if(NOT TARGET ${target})
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ASSAY_CPU_PLUGIN_ROOT}/${source})
    assay_cpu_plugin_options(${target})
  endif()
  set(${result} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
endfunction()

function(assay_cpu_plugin name source_dir)
  set(overlay_headers)
  if(source_dir)
    file(GLOB_RECURSE overlay_headers CONFIGURE_DEPENDS ${source_dir}/*.h)
  endif()
  assay_cpu_plugin_sources(sources)
  set(inputs)
  foreach(source IN LISTS sources)
    if(source_dir AND EXISTS ${source_dir}/${source})
      list(APPEND inputs ${source_dir}/${source})
    elseif(overlay_headers)
      list(APPEND inputs ${ASSAY_CPU_PLUGIN_ROOT}/${source})
    else()
      assay_cpu_plugin_object(${source} object)
      list(APPEND inputs ${object})
    endif()
  endforeach()
  add_library(${name} MODULE ${inputs})
  assay_cpu_plugin_options(${name} ${source_dir})
  set_target_properties(${name} PROPERTIES PREFIX "")
endfunction()
