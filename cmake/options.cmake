# SPDX-License-Identifier: Apache-2.0
# What a builder may choose.

set(BALLAST_CUDA AUTO CACHE STRING "Build the GPU backend: AUTO (when nvcc 13 is found), ON or OFF")
set_property(CACHE BALLAST_CUDA PROPERTY STRINGS AUTO ON OFF)
set(BALLAST_SANITIZE none CACHE STRING "Sanitizers: none, address-undefined or thread")
set_property(CACHE BALLAST_SANITIZE PROPERTY STRINGS none address-undefined thread)
option(BALLAST_NATIVE "Compile for this machine's processor (-march=native)" OFF)
option(BALLAST_MESICC "Build the translator mesicc, where LLVM 19 and isl are installed" ON)
option(BALLAST_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(BALLAST_PRECOMPILE "Precompile the standard library's headers" OFF)
option(BALLAST_WERROR "Treat warnings as errors" OFF)

foreach(choice IN ITEMS "BALLAST_CUDA:AUTO|ON|OFF" "BALLAST_SANITIZE:none|address-undefined|thread")
  string(REPLACE ":" ";" choice "${choice}")
  list(GET choice 0 name)
  list(GET choice 1 legal)
  if(NOT "${${name}}" MATCHES "^(${legal})$")
    message(FATAL_ERROR "${name} is '${${name}}'; legal is ${legal}")
  endif()
endforeach()

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
