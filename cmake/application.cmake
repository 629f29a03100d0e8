# SPDX-License-Identifier: Apache-2.0

# add_application(name [NOT_RESIDENT]), in a folder of apps: a library ballast_<name> of the folder's *.cpp and kernel
# lists *.cu (NOT_RESIDENT as for add_kernels), for the command and for its suite ballast_test_<name> from tests.
function(add_application name)
  ballast_need(CLI11 libcli11-dev)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu)
  set(target ballast_${name})
  add_library(${target} STATIC ${sources})
  ballast_precompile_standard_headers(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/apps)
  target_link_libraries(${target} PUBLIC ballast::ballast PRIVATE CLI11::CLI11)
  foreach(file IN LISTS kernels)
    add_kernels(${target} ${file} ${ARGN})
  endforeach()
  add_suite(ballast_test_${name} ${CMAKE_CURRENT_SOURCE_DIR}/tests ${ARGN} ${target} nlohmann_json::nlohmann_json
            CLI11::CLI11)
endfunction()
