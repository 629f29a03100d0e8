# SPDX-License-Identifier: Apache-2.0
# Included by apps, bench and tools/mesicc where they are projects of their own. It does what the top CMakeLists.txt does
# before it adds them, but finds the library installed. `parts` names the options that the folder stands for; the others
# are off, and so are tests, which are built in the tree.

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH ballast_SOURCE_DIR)
set(ballast_BINARY_DIR ${PROJECT_BINARY_DIR})
find_package(ballast 0.2 REQUIRED)
foreach(part IN ITEMS COMMAND APPS BENCHMARKS EXAMPLES MESICC TESTS)
  set(BALLAST_${part} OFF)
  if(part IN_LIST parts)
    set(BALLAST_${part} ON)
  endif()
endforeach()
# Kernels are compiled as the package was built.
set(BALLAST_CUDA OFF)
if(ballast_HAVE_CUDA)
  set(BALLAST_CUDA ON)
  get_target_property(CMAKE_CUDA_ARCHITECTURES ballast::device BALLAST_ARCHITECTURES)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/modules.cmake)
if(ballast_reports)
  add_subdirectory(${ballast_SOURCE_DIR}/tools/report ${ballast_BINARY_DIR}/tools/report)
endif()
