# SPDX-License-Identifier: Apache-2.0
# A room is one target, one folder in include/ballast/detail, src, tests, bench and docs, and a list of headers for users.

# ballast_add_room(name [DEPENDS rooms...] HEADERS headers... [HEADER_ONLY_LIBRARIES targets...])
# Target ballast_<name>, alias ballast::<name>. Sources: src/<name>/*.cpp and host/*.cpp, and cuda/*.cpp and
# cuda/*.cu where CUDA is built. HEADERS, below include/ballast, are for users. HEADER_ONLY_LIBRARIES are used in .cpp files
# only and leave no trace in the installed package.
# With BUILD_SHARED_LIBS the sources go into the one library libballast.so, target ballast_shared: then ballast_<name> is the
# room's headers, ballast_includes_<name>, and that library. Of the same objects libballast.a is made, target ballast_static.
function(ballast_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPENDS;HEADERS;HEADER_ONLY_LIBRARIES")
  set(target ballast_${name})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/ballast/detail/${name})
    list(APPEND room_HEADERS detail/${name})
  endif()
  set_property(GLOBAL PROPERTY BALLAST_HEADERS_OF_${name} ${room_HEADERS})
  ballast_room_sources(${name} sources cuda_sources)
  set(compiled "")
  if(BUILD_SHARED_LIBS)
    add_library(${target} INTERFACE)
    set(headers ballast_includes_${name})
    add_library(${headers} INTERFACE)
    set_target_properties(${headers} PROPERTIES EXPORT_NAME includes_${name})
    set(scope INTERFACE)
    set(depends ${room_DEPENDS})
    list(TRANSFORM depends PREPEND ballast_includes_)
    target_link_libraries(${headers} INTERFACE ${depends})
    target_link_libraries(${target} INTERFACE ${headers} ballast_shared)
    if(sources OR cuda_sources)
      set(compiled ballast_objects_${name})
      add_library(${compiled} OBJECT ${sources} ${cuda_sources})
      target_link_libraries(${compiled} PRIVATE ${headers})
      set_target_properties(${compiled} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
                                                   VISIBILITY_INLINES_HIDDEN ON)
      target_sources(ballast_shared PRIVATE $<TARGET_OBJECTS:${compiled}>)
      target_sources(ballast_static PRIVATE $<TARGET_OBJECTS:${compiled}>)
    endif()
  elseif(sources OR cuda_sources)
    add_library(${target} STATIC ${sources} ${cuda_sources})
    set(compiled ${target})
    set(headers ${target})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(headers ${target})
    set(scope INTERFACE)
  endif()
  if(compiled)
    ballast_compile_room(${compiled} ${name} "${cuda_sources}" ${room_HEADER_ONLY_LIBRARIES})
  endif()
  add_library(ballast::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${headers} ${scope} cxx_std_20)
  ballast_show_only_own_headers(${headers} ${name} ${scope})
  list(TRANSFORM room_DEPENDS PREPEND ballast::)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} ${room_DEPENDS})
  ballast_note_room(${name} ${room_DEPENDS})
endfunction()

# How the sources of a room become objects.
function(ballast_compile_room target name cuda_sources)
  if(NOT BALLAST_SANITIZE STREQUAL "none" AND NOT "fmt::fmt-header-only" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${name})
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  if(cuda_sources AND BUILD_SHARED_LIBS)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  elseif(cuda_sources)
    target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  endif()
  ballast_precompile_standard_headers(${target})
endfunction()

# What a program or shared library with kernels links besides the rooms: it finds their handles, and only the CUDA runtime that
# is linked to the same file knows them. Always static.
function(ballast_add_module_library)
  add_library(ballast_module STATIC ${PROJECT_SOURCE_DIR}/src/device/module/find_kernel.cpp)
  add_library(ballast::module ALIAS ballast_module)
  set_target_properties(ballast_module PROPERTIES EXPORT_NAME module)
  target_include_directories(ballast_module PRIVATE ${PROJECT_BINARY_DIR}/rooms/device ${PROJECT_BINARY_DIR}/rooms/base)
  target_compile_definitions(ballast_module PRIVATE BALLAST_HAVE_CUDA=1)
  target_link_libraries(ballast_module PUBLIC CUDA::cudart_static)
endfunction()

# What a program links that runs as the ranks of a cluster over MPI; without it nothing needs MPI. Always static.
function(ballast_add_mpi_library)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cluster/mpi/*.cpp)
  add_library(ballast_mpi STATIC ${sources})
  add_library(ballast::mpi ALIAS ballast_mpi)
  set_target_properties(ballast_mpi PROPERTIES EXPORT_NAME mpi)
  target_include_directories(ballast_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src/cluster)
  target_compile_definitions(ballast_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(ballast_mpi PUBLIC ballast::cluster PRIVATE MPI::MPI_CXX)
endfunction()

# Counts the releases that broke programs which were linked to the one before (docs/reference/abi.md).
set(BALLAST_ABI 0)

# Has a CUDA runtime of its own, static, so that it loads where there is none. That of a program may be another: kernels come by
# handles of the driver. Headers say what is visible; what the standard library's templates became on the way is made local.
function(ballast_add_shared_library)
  add_library(ballast_shared SHARED)
  add_library(ballast::shared ALIAS ballast_shared)
  set(exported ${PROJECT_SOURCE_DIR}/cmake/exported.map)
  set_target_properties(ballast_shared PROPERTIES OUTPUT_NAME ballast EXPORT_NAME shared LINKER_LANGUAGE CXX INSTALL_RPATH ""
                                                  VERSION ${PROJECT_VERSION} SOVERSION ${BALLAST_ABI} LINK_DEPENDS ${exported})
  target_link_options(ballast_shared PRIVATE -Wl,--version-script=${exported})
  target_link_libraries(ballast_shared PRIVATE Threads::Threads)
  add_library(ballast_static STATIC)
  add_library(ballast::static ALIAS ballast_static)
  set_target_properties(ballast_static PROPERTIES OUTPUT_NAME ballast EXPORT_NAME static LINKER_LANGUAGE CXX)
  target_link_libraries(ballast_static INTERFACE ballast_includes_ballast ballast_includes_mesi)
  if(BALLAST_HAVE_CUDA)
    target_link_libraries(ballast_shared PRIVATE CUDA::cudart_static)
    target_link_libraries(ballast_static INTERFACE ballast::module)
  endif()
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
  ballast_test_in_parts(${target})
endfunction()

# Of a suite that is not to be run, what only CUDA has is compiled: kernel lists, the first one whole and PTX of the others, and
# files that call CUDA themselves. The rest is the same text as without CUDA.
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
  set(ptx_only "")
  if(kernels AND NOT BALLAST_CHECK_ALL)
    set(ptx_only ${kernels})
    list(POP_FRONT ptx_only kernels)
  endif()
  ballast_check_part(${target} "" "${files};${kernels}" "${not_resident}" ${ARGN})
  if(ptx_only)
    ballast_check_part(${target}_ptx EXCLUDE_FROM_ALL "${ptx_only}" "${not_resident}" ${ARGN})
  endif()
endfunction()

function(ballast_check_part target excluded files not_resident)
  add_library(${target} OBJECT ${excluded} ${files})
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gmock)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  list(FILTER files INCLUDE REGEX "\\.cu$")
  foreach(file IN LISTS files)
    ballast_own_kernels(${target} ${file} ${not_resident})
  endforeach()
endfunction()

# Suites that take long and have one thread and no memory of their own, where ThreadSanitizer has nothing to see: models explored
# in all orders, and decisions on invented devices.
string(JOIN ":" BALLAST_TESTS_WITHOUT_THREADS *_interleavings*.* explorer.* pending_count.* cluster_protocol.* *every_order.*
       kernel_usage.* kernel_times.* merge_model.* merging_gains.* *learned_parts_of.* *split_quality*.* *every_split_policy.*
       working_set_model*.* coherence_model*.* job_order.*)

# Costs are the defaults, whatever the user calibrated.
# A process for each of three thousand tests would take more time to start than the tests run.
function(ballast_test_in_parts target)
  set(seconds 300)
  set(filter "")
  if(BALLAST_SANITIZE STREQUAL "thread")
    set(filter ";GTEST_FILTER=-${BALLAST_TESTS_WITHOUT_THREADS}")
  endif()
  if(NOT BALLAST_SANITIZE STREQUAL "none")
    set(seconds 1200)
  endif()
  foreach(part RANGE 1 4)
    math(EXPR index "${part} - 1")
    add_test(NAME ${target}.part_${part}_of_4 COMMAND ${target})  # not brief: who crashes is the last that began
    set_tests_properties(${target}.part_${part}_of_4 PROPERTIES TIMEOUT ${seconds} LABELS ${target}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${index};XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/no-caches${filter}")
  endforeach()
endfunction()

# ballast_add_room_test(name [NOT_RESIDENT] [targets...]): the suite ballast_test_<name> from tests/<name>, which may include
# the room's private headers too.
function(ballast_add_room_test name)
  ballast_add_suite(ballast_test_${name} ${PROJECT_SOURCE_DIR}/tests/${name} ballast::${name} ${ARGN})
  foreach(target IN ITEMS ballast_test_${name} ballast_test_${name}_ptx)
    if(TARGET ${target})
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${name})
    endif()
  endforeach()
endfunction()
