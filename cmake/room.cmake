# SPDX-License-Identifier: Apache-2.0
# A room is one target, one folder in include/ballast/detail, src, tests, bench and docs, and a list of headers for users.

if(BALLAST_TESTS)
  include(GoogleTest)
endif()

# ballast_add_room(name [DEPENDS rooms...] HEADERS headers... [HEADER_ONLY_LIBRARIES targets...])
# Target ballast_<name>, alias ballast::<name>. Sources: src/<name>/*.cpp and host/*.cpp, and cuda/*.cpp and
# cuda/*.cu where CUDA is built. HEADERS, below include/ballast, are for users. HEADER_ONLY_LIBRARIES are used in .cpp files
# only and leave no trace in the installed package.
function(ballast_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPENDS;HEADERS;HEADER_ONLY_LIBRARIES")
  set(target ballast_${name})
  ballast_room_sources(${name} sources cuda_sources)
  if(sources OR cuda_sources)
    add_library(${target} STATIC ${sources} ${cuda_sources})
    if(BALLAST_SANITIZE STREQUAL "address-undefined" AND NOT "fmt::fmt-header-only" IN_LIST room_HEADER_ONLY_LIBRARIES)
      target_compile_options(${target} PRIVATE -O1)
    endif()
    set(scope PUBLIC)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${name})
    foreach(library IN LISTS room_HEADER_ONLY_LIBRARIES)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
    ballast_precompile_standard_headers(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(ballast::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/ballast/detail/${name})
    list(APPEND room_HEADERS detail/${name})
  endif()
  set_property(GLOBAL PROPERTY BALLAST_HEADERS_OF_${name} ${room_HEADERS})
  ballast_show_only_own_headers(${target} ${name} ${scope})
  list(TRANSFORM room_DEPENDS PREPEND ballast::)
  target_link_libraries(${target} ${scope} ${room_DEPENDS})
  if(cuda_sources)
    target_link_libraries(${target} ${scope} CUDA::cudart_static)
  endif()
  ballast_note_room(${name} ${room_DEPENDS})
endfunction()

# Remembers the rooms in order, and of each the rooms whose headers it sees.
function(ballast_note_room name)
  set(seen ${name})
  foreach(target IN LISTS ARGN)
    string(REPLACE "ballast::" "" room ${target})
    get_property(further GLOBAL PROPERTY BALLAST_ROOMS_SEEN_BY_${room})
    list(APPEND seen ${further})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY BALLAST_ROOMS ${name})
  set_property(GLOBAL PROPERTY BALLAST_ROOMS_SEEN_BY_${name} ${seen})
endfunction()

function(ballast_room_sources name host_result cuda_result)
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB host CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/host/*.cpp)
  set(cuda "")
  if(BALLAST_HAVE_CUDA)
    file(GLOB cuda CONFIGURE_DEPENDS ${folder}/cuda/*.cpp ${folder}/cuda/*.cu)
  endif()
  set(${host_result} ${host} PARENT_SCOPE)
  set(${cuda_result} ${cuda} PARENT_SCOPE)
endfunction()

# The order of the rooms is kept by the compiler: a room's include folder holds links to its own headers and nothing else,
# so a file finds only the headers of its room and of the rooms that it links.
function(ballast_show_only_own_headers target name scope)
  set(shown ${PROJECT_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${shown})
  get_property(headers GLOBAL PROPERTY BALLAST_HEADERS_OF_${name})
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    file(MAKE_DIRECTORY ${shown}/ballast/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/ballast/${header} ${shown}/ballast/${header} SYMBOLIC)
  endforeach()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${shown}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# What a suite's .cpp files do takes no time to speak of, but compiling them did.
function(ballast_compile_fast target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O0>)
  ballast_precompile(${target} <gmock/gmock.h>)
endfunction()

# ballast_add_suite(target folder [NOT_RESIDENT] targets...): an executable of GoogleTest tests from folder/*.cpp and the kernel
# lists folder/*.cu (NOT_RESIDENT as for ballast_own_kernels), linked with the given targets; nothing if the folder holds no
# tests. It may include tests/support.
function(ballast_add_suite target folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${folder}/*.cu)
  if(BALLAST_TESTS AND sources)
    ballast_add_suite_of(${target} "${sources};${kernels}" ${ARGN})
  endif()
endfunction()

# The same from a list of files.
function(ballast_add_suite_of target files)
  cmake_parse_arguments(PARSE_ARGV 2 suite "NOT_RESIDENT" "" "")
  set(not_resident "")
  if(suite_NOT_RESIDENT)
    set(not_resident NOT_RESIDENT)
  endif()
  set(kernels ${files})
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(BALLAST_CHECK_KERNELS)
    ballast_check_suite(${target} "${files}" "${kernels}" "${not_resident}" ${suite_UNPARSED_ARGUMENTS})
    return()
  endif()
  add_executable(${target} ${files})
  target_link_libraries(${target} PRIVATE ${suite_UNPARSED_ARGUMENTS} GTest::gmock GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  ballast_compile_fast(${target})
  foreach(file IN LISTS kernels)
    ballast_own_kernels(${target} ${file} ${not_resident})
  endforeach()
  if(BALLAST_SANITIZE STREQUAL "none")
    gtest_discover_tests(${target} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                         TEST_PREFIX "${target}."
                         PROPERTIES TIMEOUT 300 LABELS ${target})
  else()
    ballast_test_in_parts(${target})
  endif()
endfunction()

# Of a suite that is not to be run, what only CUDA has is compiled: kernel lists, and files that call CUDA themselves. The
# rest is the same text as without CUDA.
function(ballast_check_suite target files kernels not_resident)
  foreach(file IN LISTS files)
    file(STRINGS ${file} calls REGEX "BALLAST_HAVE_CUDA|<cuda_runtime" LIMIT_COUNT 1)
    if(NOT calls)
      list(REMOVE_ITEM files ${file})
    endif()
  endforeach()
  if(NOT files AND NOT kernels)
    return()
  endif()
  add_library(${target} OBJECT ${files} ${kernels})
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gmock)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  foreach(file IN LISTS kernels)
    ballast_own_kernels(${target} ${file} ${not_resident})
  endforeach()
endfunction()

# A process with a sanitizer starts slowly, so that one for each of three thousand tests took minutes.
function(ballast_test_in_parts target)
  foreach(part RANGE 1 4)
    math(EXPR index "${part} - 1")
    add_test(NAME ${target}.part_${part}_of_4 COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${target}.part_${part}_of_4 PROPERTIES TIMEOUT 1200 LABELS ${target}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# ballast_add_room_test(name [NOT_RESIDENT] [targets...]): the suite ballast_test_<name> from tests/<name>, which may include
# the room's private headers too.
function(ballast_add_room_test name)
  ballast_add_suite(ballast_test_${name} ${PROJECT_SOURCE_DIR}/tests/${name} ballast::${name} ${ARGN})
  if(TARGET ballast_test_${name})
    target_include_directories(ballast_test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/${name})
  endif()
endfunction()
