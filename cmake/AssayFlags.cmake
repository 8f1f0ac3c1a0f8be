# One private target carries warnings and code generation; one function makes each library of ours.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12 OR
   CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "Assay needs g++ 12 or clang 14 at least; ${CMAKE_CXX_COMPILER} is "
                      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(assay_flags INTERFACE)
target_compile_options(assay_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  # g++ 12 sees overlaps in std::string's operator+ that are not there.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASSAY_WERROR}>>:-Werror>)
if(ASSAY_SANITIZE)
  target_compile_options(assay_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(assay_flags INTERFACE -fsanitize=address,undefined)
endif()
if(ASSAY_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "ASSAY_FUZZ needs clang, whose libFuzzer it links: cmake --preset fuzz")
  endif()
endif()
option(ASSAY_FUZZ_INSTRUMENT "Fuzzers' coverage flags (OSS-Fuzz has its own)" ON)
if(ASSAY_FUZZ AND ASSAY_FUZZ_INSTRUMENT)
  # Coverage instrumentation for our own code; fuzz/CMakeLists.txt links the fuzzers. Comparisons of
  # numbers are not traced: mutators of our own do not ask for them, and it costs an eighth of the
  # speed. Texts are still compared through hooks of memcmp.
  set(ignored ${PROJECT_SOURCE_DIR}/fuzz/coverage_ignore.txt)
  set(instrumented "$<NOT:$<BOOL:$<TARGET_PROPERTY:ASSAY_LEADS_NO_FUZZER>>>")
  target_compile_options(assay_flags INTERFACE
    $<$<AND:${instrumented},$<COMPILE_LANGUAGE:C,CXX>>:-fsanitize=fuzzer-no-link>
    $<$<AND:${instrumented},$<COMPILE_LANGUAGE:C,CXX>>:-fno-sanitize-coverage=trace-cmp>
    $<$<AND:${instrumented},$<COMPILE_LANGUAGE:C,CXX>>:-fsanitize-coverage-ignorelist=${ignored}>)
endif()

# assay_precompile(TARGET KIND HEADERS...): the headers that most of its sources include, compiled
# once for all targets of a kind, which have the same options. Not with ccache, which does not go
# together with them.
set(ASSAY_LIBRARY_HEADERS <algorithm> <memory> <string> <vector> <fmt/format.h>)
function(assay_precompile target kind)
  # In precompiled headers, and where little is optimised, g++ 12 sees accesses past the ends of
  # strings and vectors that are none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized
      -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT ARGN)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY ASSAY_PRECOMPILED_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY ASSAY_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

# assay_join_sources(TARGET): with ASSAY_UNITY, its sources are one translation unit, so that
# headers' templates are instantiated once for all of them. Names of anonymous namespaces must
# differ within a target. Not for kernels, whose objects are what a planted defect replaces.
function(assay_join_sources target)
  if(ASSAY_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# assay_compile_fast(TARGET LEVEL KIND HEADERS...): code that runs for moments and is compiled for
# minutes is optimised little. It is in no fuzzer, import/ alone excepted. What is precompiled is
# shared by the targets of a kind that have the same level.
function(assay_compile_fast target level kind)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${level}>")
  set_target_properties(${target} PROPERTIES ASSAY_LEADS_NO_FUZZER ON)
  assay_join_sources(${target})
  assay_precompile(${target} ${kind}${level} ${ARGN})
endfunction()

# Sanitized code is compiled for three times as long; the rooms leave their work to the libraries
# below them, which stay optimised.
set(ASSAY_ROOM_LEVEL -O1)
if(ASSAY_SANITIZE)
  set(ASSAY_ROOM_LEVEL -O0)
endif()

# assay_library(NAME [LINK targets...] [PRIVATE targets...] [EXCLUDE patterns...]): every .cpp of
# the current folder and its subfolders, headers as file sets, target assay::NAME. A new file needs
# no line here. Each header compiles alone: a .cpp of its name includes it first (the tidy test sees
# to that), and the set `bare`, those without one, is compiled by all_verify_interface_header_sets.
function(assay_library name)
  cmake_parse_arguments(arg "" "" "LINK;PRIVATE;EXCLUDE" ${ARGN})
  # Patterns must not see the folders above: one may be called examples.
  file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS *.h)
  foreach(pattern IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
    list(FILTER headers EXCLUDE REGEX "${pattern}")
  endforeach()
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
  add_library(assay_${name} STATIC ${sources})
  add_library(assay::${name} ALIAS assay_${name})
  set(bare_headers "")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cpp" source ${header})
    if(NOT source IN_LIST sources)
      list(APPEND bare_headers ${header})
    endif()
  endforeach()
  if(bare_headers)
    list(REMOVE_ITEM headers ${bare_headers})
  endif()
  target_sources(assay_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers}
    FILE_SET bare TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${bare_headers})
  set_target_properties(assay_${name} PROPERTIES
    EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY bare)
  target_compile_features(assay_${name} PUBLIC cxx_std_20)  # for those who link what is installed
  target_link_libraries(assay_${name}
    PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:assay_flags> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY ASSAY_LIBRARIES assay_${name})
endfunction()
