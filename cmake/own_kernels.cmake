# SPDX-License-Identifier: Apache-2.0
# Kernel lists of this project.

# ballast_own_kernels(target file.cu [NOT_RESIDENT])
# Adds a kernel list to a target, as ballast_add_kernels() does. With BALLAST_CHECK_KERNELS, tests look at its PTX:
# whether it loads through the read-only cache (ld.global.nc), which does not see that the data of a task changes while a
# resident kernel runs; if NOT_RESIDENT says that its kernels are launched, only of those that read rings. With BALLAST_CHECK_ALL
# also whether each kernel has room on an SM of every chip (tests/limits). Of a target that is excluded from all, PTX is all that
# is made, which takes a third of the time.
function(ballast_own_kernels target file)
  cmake_parse_arguments(PARSE_ARGV 2 kernels "NOT_RESIDENT" "" "")
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  ballast_add_kernels(${target} ${file})
  set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                                                            SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT BALLAST_HAVE_CUDA)
    # Kernels keep their speed where the files around them are compiled with less, but those of quick benchmarks.
    set(optimised $<$<CONFIG:Release>:-O3>)
    if(BALLAST_QUICK_PROGRAMS AND target MATCHES "^ballast_(benchmarks|cluster_command|soak)$")
      set(optimised -O1)
    endif()
    if(NOT BALLAST_SANITIZE STREQUAL "none")
      set(optimised -O1)
    endif()
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${optimised}")
  elseif(NOT BALLAST_CHECK_KERNELS)
    return()
  endif()
  if(BALLAST_UNITY AND NOT BALLAST_CHECK_ALL)
    ballast_note_list(${target} ${file} "${kernels_NOT_RESIDENT}")
  elseif(BALLAST_HAVE_CUDA)
    ballast_check_kernels(${target} ${file} ${file} "${kernels_NOT_RESIDENT}")
  endif()
endfunction()

# With BALLAST_UNITY lists of a target are one source where they have the same options: compilers spend half of their time on them
# in headers. At the end of the folder, when all have their options. Programs for GPUs have a source for each, whose kernels
# several compilers at once translate.
function(ballast_note_list target file not_resident)
  get_property(noted DIRECTORY PROPERTY BALLAST_TARGETS_WITH_LISTS)
  if(NOT target IN_LIST noted)
    set_property(DIRECTORY APPEND PROPERTY BALLAST_TARGETS_WITH_LISTS ${target})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL ballast_batch_lists ${target})")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY BALLAST_LISTS ${file})
  set_property(SOURCE ${file} TARGET_DIRECTORY ${target} PROPERTY BALLAST_NOT_RESIDENT "${not_resident}")
endfunction()

function(ballast_batch_lists target)
  get_target_property(lists ${target} BALLAST_LISTS)
  set(batches "")
  foreach(list IN LISTS lists)
    ballast_batch_of_list(${target} ${list} batch)
    list(APPEND batches ${batch})
    list(APPEND lists_of_${batch} ${list})
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    list(GET lists_of_${batch} 0 first)
    set(source ${first})
    get_source_file_property(not_resident ${first} TARGET_DIRECTORY ${target} BALLAST_NOT_RESIDENT)
    list(LENGTH lists_of_${batch} count)
    if(count GREATER 1)
      ballast_make_batch(${target} source ${lists_of_${batch}})
    endif()
    if(BALLAST_CHECK_KERNELS)
      ballast_check_kernels(${target} ${source} ${first} "${not_resident}")
    endif()
  endforeach()
endfunction()

# A name of all lists that are compiled alike. Those that register themselves have a name in common, and stay alone, as does one that
# is checked in another way.
function(ballast_batch_of_list target list result)
  get_source_file_property(generated ${list} TARGET_DIRECTORY ${target} GENERATED)
  set(registers ${generated})
  if(NOT generated)
    file(STRINGS ${list} registers REGEX "^BALLAST_MESI_KERNELS" LIMIT_COUNT 1)
  endif()
  set(key "")
  if(registers OR list MATCHES "read_only_kernels")
    set(key ${list})
  endif()
  foreach(property IN ITEMS COMPILE_OPTIONS BALLAST_NOT_RESIDENT)
    get_source_file_property(value ${list} TARGET_DIRECTORY ${target} ${property})
    string(APPEND key " ${value}")
  endforeach()
  string(MD5 key "${key}")
  set(${result} ${key} PARENT_SCOPE)
endfunction()

# The first list says how.
function(ballast_make_batch target result)
  list(GET ARGN 0 first)
  cmake_path(GET first STEM name)
  set(batch ${CMAKE_CURRENT_BINARY_DIR}/lists/${target}/${name}/${name}_and_others.cu)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE text)
  list(JOIN text "\n" text)
  file(CONFIGURE OUTPUT ${batch} CONTENT "${text}\n" @ONLY)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${batch})
  foreach(property IN ITEMS LANGUAGE COMPILE_OPTIONS COMPILE_DEFINITIONS SKIP_PRECOMPILE_HEADERS SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(value ${first} TARGET_DIRECTORY ${target} ${property})
    if(NOT value MATCHES "NOTFOUND")
      set_property(SOURCE ${batch} TARGET_DIRECTORY ${target} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  set(${result} ${batch} PARENT_SCOPE)
endfunction()

# ballast_only_check(target): called before a program's kernel lists are added. With BALLAST_CHECK_KERNELS, but not BALLAST_CHECK_ALL,
# it is not built: PTX is made of its lists, and its sources that call CUDA themselves are compiled. The others are the same text as
# without CUDA.
function(ballast_only_check target)
  if(NOT BALLAST_CHECK_KERNELS OR BALLAST_CHECK_ALL)
    return()
  endif()
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  get_target_property(files ${target} SOURCES)
  ballast_keep_callers_of_cuda(files)
  if(files)
    add_library(${target}_calls OBJECT ${files})
    target_include_directories(${target}_calls PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target}_calls PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  endif()
endfunction()

# Leaves of a list of files those that call CUDA themselves.
function(ballast_keep_callers_of_cuda list)
  set(callers "")
  foreach(file IN LISTS ${list})
    if(file MATCHES "\\.cpp$")
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
      file(STRINGS ${path} calls REGEX "BALLAST_HAVE_CUDA|<cuda_runtime|cuda_check" LIMIT_COUNT 1)
      if(calls)
        list(APPEND callers ${path})
      endif()
    endif()
  endforeach()
  set(${list} ${callers} PARENT_SCOPE)
endfunction()

# ballast_check_kernels(target file first not_resident): a list, which is the first itself, or a batch of which `first` is one.
function(ballast_check_kernels target file first not_resident)
  cmake_path(RELATIVE_PATH first BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE list)
  string(REGEX REPLACE "\\.cu$" "" name ${list})
  if(NOT file STREQUAL first)
    string(APPEND name _and_others)
  endif()
  string(MAKE_C_IDENTIFIER ${name} name)
  ballast_checked_architectures(${first} architectures)
  get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
  set(all_ptx "")
  foreach(architecture IN LISTS architectures)
    if(NOT excluded AND CMAKE_CUDA_ARCHITECTURES MATCHES "^${architecture}-(virtual|real)$")
      ballast_keep_ptx(${target} ${file} ${name} ptx)
    else()
      ballast_add_ptx(${target} ${file} ${name} ${architecture} ptx)
    endif()
    list(APPEND all_ptx ${architecture}=${ptx})
    if(NOT name MATCHES "read_only_kernels$")  # which do so to show what happens then
      ballast_test_kernels(${name}_for_${architecture}_read_nothing_through_the_read_only_cache ${CMAKE_COMMAND} -D PTX=${ptx}
                           -D RESIDENT_ONLY=${not_resident} -P ${PROJECT_SOURCE_DIR}/cmake/check_ptx.cmake)
    endif()
  endforeach()
  if(BALLAST_CHECK_ALL)  # machine code of each is made once more
    ballast_test_kernels(${name}_have_room_on_every_chip bash ${PROJECT_SOURCE_DIR}/tests/limits/limits.sh
                         ${PROJECT_BINARY_DIR}/kernel-limits/${name}.tsv ${CUDAToolkit_BIN_DIR}/ptxas ${list} ${all_ptx})
  endif()
endfunction()

function(ballast_test_kernels name)
  add_test(NAME kernels.${name} COMMAND ${ARGN})
  set_tests_properties(kernels.${name} PROPERTIES LABELS cuda-compile)
endfunction()

# PTX of the oldest GPUs shows nearly all that is to be found. What only GPUs since 8.0 have lies in headers, which one list of each
# room shows compiled for one of them.
function(ballast_checked_architectures file result)
  set(architectures 75)
  cmake_path(GET file PARENT_PATH folder)
  get_property(seen GLOBAL PROPERTY BALLAST_FOLDERS_CHECKED)
  cmake_path(GET folder PARENT_PATH parent)
  if(BALLAST_CHECK_ALL)
    set(architectures 75 80 90 100 120)
  elseif(parent STREQUAL "${PROJECT_SOURCE_DIR}/tests" AND NOT file MATCHES "plain" AND NOT folder IN_LIST seen)
    set(architectures 75 90)
    set_property(GLOBAL APPEND PROPERTY BALLAST_FOLDERS_CHECKED ${folder})
  endif()
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()

function(ballast_add_ptx target file list architecture result)
  set(name ${target}_${list}_ptx_${architecture})
  add_library(${name} OBJECT ${file})
  set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES ${architecture}-virtual)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${name} PRIVATE --extended-lambda)  # as ballast_add_kernels() has it
  set(${result} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

# The list's object is for this architecture alone: nvcc leaves its PTX, and machine code if it makes some, in a folder.
function(ballast_keep_ptx target file list result)
  set(folder ${PROJECT_BINARY_DIR}/kernel-steps/${list})
  file(MAKE_DIRECTORY ${folder})
  set_property(SOURCE ${file} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS
               "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:CUDA_PTX_COMPILATION>>>:-keep;-keep-dir=${folder}>")
  cmake_path(GET file STEM stem)
  set(${result} ${folder}/${stem}.ptx PARENT_SCOPE)
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
