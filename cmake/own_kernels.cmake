# SPDX-License-Identifier: Apache-2.0
# Kernel lists of this project.

# ballast_own_kernels(target file.cu [NOT_RESIDENT])
# Adds a kernel list to a target, as ballast_add_kernels() does.
# The data of a task changes while a resident kernel runs, and a load through the read-only cache
# (ld.global.nc) would not see that: with CUDA, a test looks for such loads in the list's PTX, unless
# NOT_RESIDENT says that none of its kernels is resident.
function(ballast_own_kernels target file)
  cmake_parse_arguments(PARSE_ARGV 2 kernels "NOT_RESIDENT" "" "")
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  ballast_add_kernels(${target} ${file})
  set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                                                            SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT BALLAST_HAVE_CUDA)
    # Kernels keep their speed where the files around them are compiled with less.
    set(optimised $<$<CONFIG:Release>:-O3>)
    if(NOT BALLAST_SANITIZE STREQUAL "none")
      set(optimised -O2)
    endif()
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${optimised}")
    return()
  endif()
  if(BALLAST_TESTS AND NOT kernels_NOT_RESIDENT)
    ballast_check_ptx(${target} ${file})
  endif()
endfunction()

function(ballast_check_ptx target file)
  cmake_path(GET file STEM stem)
  set(ptx ${target}_${stem}_ptx)
  add_library(${ptx} OBJECT ${file})
  set_target_properties(${ptx} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES 90a-virtual)
  target_include_directories(${ptx} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${ptx} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  add_test(NAME ${target}.${stem}_reads_nothing_through_the_read_only_cache
           COMMAND ${CMAKE_COMMAND} -D PTX=$<TARGET_OBJECTS:${ptx}> -P ${PROJECT_SOURCE_DIR}/cmake/check_ptx.cmake)
  set_tests_properties(${target}.${stem}_reads_nothing_through_the_read_only_cache
                       PROPERTIES LABELS cuda-compile)
endfunction()
# ballast_round_each_operation(files...): a * b + c is rounded twice in these files of targets of this folder, unless the
# source fuses it, so that results have the same bits on every device. They stay apart from precompiled headers, which
# have other flags.
function(ballast_round_each_operation)
  set_property(
    SOURCE ${ARGN} APPEND PROPERTY
    COMPILE_OPTIONS
    "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>;$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>;$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>"
  )
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# ballast_compile_as_translated(files...): what mesicc wrote. Names and conversions are the user's; CUDA's own flag lets
# kernels call constexpr functions of the host.
function(ballast_compile_as_translated)
  set_property(
    SOURCE ${ARGN} APPEND PROPERTY
    COMPILE_OPTIONS
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wno-conversion;-Wno-unused-const-variable>;$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wno-shadow>"
  )
endfunction()
