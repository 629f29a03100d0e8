# SPDX-License-Identifier: Apache-2.0
# mesicc.package: what `mesicc run` compiles and links with. One lies beside the program where it is built, one is
# installed; paths are relative to the file.

set(words "# What mesicc run compiles and links with.\n")
if(BALLAST_HAVE_CUDA)
  string(APPEND words "nvcc=${CMAKE_CUDA_COMPILER}\ngpu_architecture=native\n") # it runs where it is compiled
else()
  string(APPEND words "compiler=${CMAKE_CXX_COMPILER}\n")
  if(BALLAST_NATIVE)
    string(APPEND words "flag=-march=native\n")
  endif()
endif()

# A room uses only rooms to its left, so that the linker wants them from right to left.
get_property(seen GLOBAL PROPERTY BALLAST_ROOMS_SEEN_BY_mesi)
get_property(from_right GLOBAL PROPERTY BALLAST_ROOMS)
list(REVERSE from_right)
set(libraries "")
set(built_includes "")
foreach(room IN LISTS from_right)
  if(NOT room IN_LIST seen)
    continue()
  endif()
  string(APPEND built_includes "include=rooms/${room}\n")
  get_target_property(kind ballast_${room} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    list(APPEND libraries libballast_${room}.a)
  endif()
endforeach()

set(built_libraries "")
set(installed_libraries "")
foreach(library IN LISTS libraries)
  string(APPEND built_libraries "library=${library}\n")
  string(APPEND installed_libraries "library=../../${CMAKE_INSTALL_LIBDIR}/${library}\n")
endforeach()
set(quick "")
if(BALLAST_TESTS AND NOT BALLAST_HAVE_CUDA)
  set(quick "flag=-O1\n") # tests compile dozens of small programs
endif()
file(WRITE ${PROJECT_BINARY_DIR}/mesicc.package "${words}${quick}${built_includes}${built_libraries}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/installed/mesicc.package
     "${words}include=../../${CMAKE_INSTALL_INCLUDEDIR}\n${installed_libraries}")
if(BALLAST_INSTALL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/mesicc.package DESTINATION ${CMAKE_INSTALL_DATADIR}/ballast)
endif()
