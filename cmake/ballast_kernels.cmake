# SPDX-License-Identifier: Apache-2.0
# For programs that use ballast, by find_package() or as a part of their project.

# CMake 3.25.1 does not know that CUDA 13 has C++20.
macro(ballast_know_cuda20)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endmacro()

# ballast_add_kernels(target file.cu... [ARCHITECTURES architectures...])
# Adds kernel lists to a target. Where ballast was built with the GPU backend nvcc compiles them, for ARCHITECTURES, else
# for those that ballast was built for; the project must have enabled the language CUDA. Without the backend the C++
# compiler does.
macro(ballast_add_kernels target)
  ballast_know_cuda20()
  ballast_add_kernels_to(${target} ${ARGN})
endmacro()

function(ballast_add_kernels_to target)
  cmake_parse_arguments(PARSE_ARGV 1 kernels "" "" "ARCHITECTURES")
  set(files ${kernels_UNPARSED_ARGUMENTS})
  if(NOT files)
    message(FATAL_ERROR "ballast_add_kernels(${target}): name the .cu files")
  endif()
  target_sources(${target} PRIVATE ${files})
  get_target_property(have_cuda ballast::device BALLAST_HAVE_CUDA)
  if(NOT have_cuda)
    set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CXX)
    return()
  endif()
  if(NOT CMAKE_CUDA_COMPILER_LOADED)
    message(FATAL_ERROR "ballast_add_kernels(${target} ${files}): this ballast has the GPU backend, so the project must "
                        "enable CUDA, as in project(name LANGUAGES CXX CUDA)")
  endif()
  if(NOT kernels_ARCHITECTURES)
    get_target_property(kernels_ARCHITECTURES ballast::device BALLAST_ARCHITECTURES)
  endif()
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${kernels_ARCHITECTURES}")
endfunction()
