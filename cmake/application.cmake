# SPDX-License-Identifier: Apache-2.0

# ballast_add_application(name [NOT_RESIDENT] DEPENDS targets...), in a folder of apps: a library ballast_<name> of the
# folder's *.cpp and kernel lists *.cu (NOT_RESIDENT as for ballast_own_kernels), its suite ballast_test_<name> from
# tests, and of main.cpp, if there is one, the program `ballast-<name>`.
function(ballast_add_application name)
  cmake_parse_arguments(PARSE_ARGV 1 app "NOT_RESIDENT" "" "DEPENDS")
  set(not_resident "")
  if(app_NOT_RESIDENT)
    set(not_resident NOT_RESIDENT)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu)
  set(target ballast_${name})
  add_library(${target} STATIC ${sources})
  if(NOT name MATCHES "^(md|job_run)$")  # of which the main job is made
    ballast_only_check(${target})
  endif()
  if(NOT name STREQUAL "md")  # which is compiled without the others first, and not again beside them
    ballast_precompile_standard_headers(${target} <CLI/CLI.hpp>)
  endif()
  target_include_directories(${target} PUBLIC ${ballast_SOURCE_DIR}/apps)
  target_link_libraries(${target} PUBLIC ballast_report ballast_command_line ${app_DEPENDS} PRIVATE CLI11::CLI11 fmt::fmt-header-only)
  foreach(file IN LISTS kernels)
    ballast_own_kernels(${target} ${file} ${not_resident})
  endforeach()
  ballast_add_suite(ballast_test_${name} ${CMAKE_CURRENT_SOURCE_DIR}/tests ${not_resident} ${target}
                    nlohmann_json::nlohmann_json CLI11::CLI11 fmt::fmt-header-only)
  if(TARGET ballast_test_${name} AND NOT name STREQUAL "md")  # they read what programs print; half of their compilation are these
    set_property(TARGET ballast_test_${name} APPEND PROPERTY BALLAST_HEADERS <CLI/CLI.hpp> <nlohmann/json.hpp>)
  endif()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp AND BALLAST_SANITIZE STREQUAL "none")
    ballast_add_program(${name} ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
    target_link_libraries(ballast_${name}_command PRIVATE ${target})
  endif()
endfunction()

# ballast_add_program(name sources...): the program `ballast-<name>`, which `ballast <name>` runs. All programs lie in
# the build's root.
function(ballast_add_program name)
  set(target ballast_${name}_command)
  add_executable(${target} ${ARGN})
  if(NOT name STREQUAL "md")
    ballast_only_check(${target})
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ballast-${name} RUNTIME_OUTPUT_DIRECTORY ${ballast_BINARY_DIR}
                                             BUILD_RPATH "\$ORIGIN") # gpu-pack.sh puts libraries beside it
  target_link_libraries(${target} PRIVATE ballast_command_line)
  ballast_add_manual(${target} ballast-${name})
  ballast_is_installed(${target} installed)
  if(installed)
    install(TARGETS ${target})
  endif()
endfunction()

# ballast_add_manual(target name): the manual page man/<name>.1, which the program writes of itself once it is linked. Debian wants it
# packed.
function(ballast_add_manual target name)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(folder ${ballast_BINARY_DIR}/man)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(TARGET ${target} POST_BUILD COMMAND $<TARGET_FILE:${target}> --print-manual > ${folder}/${name}.1)
  set(page ${folder}/${name}.1)
  if(BALLAST_PACKAGES)
    find_program(BALLAST_GZIP gzip REQUIRED)
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${BALLAST_GZIP} -9nkf ${page})
    string(APPEND page .gz)
  endif()
  ballast_is_installed(${target} installed)
  if(installed)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endfunction()

function(ballast_is_installed target result)
  get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
  set(${result} OFF PARENT_SCOPE)
  if(BALLAST_INSTALL AND NOT excluded)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
