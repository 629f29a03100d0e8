# SPDX-License-Identifier: Apache-2.0
# What cpack makes: Debian packages libballast0, libballast-dev, ballast and mesicc, and one archive (scripts/package.sh).

# Debian wants both in each package, and an archive has them too.
set(library_package libballast${BALLAST_ABI})
set(folder ${PROJECT_BINARY_DIR}/packaging)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(revision 1)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in ${folder}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/copyright ${folder}/copyright COPYONLY)
find_program(BALLAST_GZIP gzip REQUIRED)
foreach(text IN ITEMS ${folder}/changelog.Debian ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
  cmake_path(GET text STEM LAST_ONLY name)
  if(name STREQUAL "CHANGELOG")
    set(packed ${folder}/changelog.gz)
  else()
    set(packed ${folder}/changelog.Debian.gz)
  endif()
  execute_process(COMMAND ${BALLAST_GZIP} -9nc ${text} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

set(CPACK_DEBIAN_LIB_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libballast-dev)
set(CPACK_DEBIAN_BIN_PACKAGE_NAME ballast)
set(CPACK_DEBIAN_MESICC_PACKAGE_NAME mesicc)
set(components lib dev bin)
if(TARGET mesicc)
  list(APPEND components mesicc)
endif()
foreach(component IN LISTS components)
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${folder}/copyright ${folder}/changelog.gz ${folder}/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  set(overrides ${PROJECT_SOURCE_DIR}/packaging/debian/${component}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name} COMPONENT ${component})
  endif()
endforeach()

set(CPACK_PACKAGE_NAME ballast)
set(CPACK_PACKAGE_VENDOR "The ballast authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(about "ballast keeps devices evenly loaded when work is irregular: on one GPU, on
several, and on CPU cores alone.

This package has")
set(CPACK_COMPONENT_LIB_DESCRIPTION "load balancing for GPUs and CPU cores, shared library
${about} the shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "load balancing for GPUs and CPU cores, headers
${about} what compiles programs: headers, the static library, and
what CMake and pkg-config ask.")
set(CPACK_COMPONENT_BIN_DESCRIPTION
    "load balancing for GPUs and CPU cores, programs
${about} the command ballast, its applications and benchmarks.")
set(CPACK_COMPONENT_MESICC_DESCRIPTION
    "translator of CUDA programs for several devices
mesicc translates a subset of CUDA C++ into C++ that uses ballast, so that a
program runs on all devices of a machine, and on CPU cores.")
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENT_DEV_DEPENDS lib)
set(CPACK_COMPONENT_BIN_DEPENDS lib)
set(CPACK_COMPONENT_MESICC_DEPENDS lib dev)

set(CPACK_PACKAGE_CONTACT "${BALLAST_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_PACKAGE_SOURCE ballast)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})  # where programs find the library meanwhile
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_BIN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MESICC_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_MESICC_PACKAGE_DEPENDS "g++, libclang-common-19-dev")  # for `mesicc run`; the headers that clang itself brings
set(CPACK_DEBIAN_BIN_PACKAGE_SUGGESTS gnuplot-nox)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
include(CPack)
