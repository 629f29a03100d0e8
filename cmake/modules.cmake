# SPDX-License-Identifier: Apache-2.0
# What the project has before its first target, in the tree as in a folder that is a project alone. The path of the tree is
# ballast_SOURCE_DIR, that of the build ballast_BINARY_DIR.

# By their paths: a project that ballast is a part of may have modules of the same names.
set(modules ${CMAKE_CURRENT_LIST_DIR})
if(CMAKE_VERSION VERSION_GREATER_EQUAL 4)
  message(STATUS "CMake ${CMAKE_VERSION} was not tried with ballast, 3.25 and 3.31 were")
endif()
include(GNUInstallDirs)
# What is installed belongs to lib, dev, mesicc or, as programs do, to this (package.cmake).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME bin)
include(${modules}/options.cmake)
include(${modules}/compile_flags.cmake)
include(${modules}/cuda.cmake)
ballast_enable_cuda()
if(BALLAST_CHECK_KERNELS AND NOT BALLAST_HAVE_CUDA)
  message(FATAL_ERROR "BALLAST_CHECK_KERNELS is ON and CUDA is not built: there is no PTX to check")
endif()
include(${modules}/packages.cmake)
include(${modules}/own_kernels.cmake)
include(${modules}/precompile.cmake)
include(${modules}/room.cmake)
include(${modules}/application.cmake)
