# SPDX-License-Identifier: Apache-2.0
# Libraries from the system; a missing one is named as Debian names it.

# By Boost's own files where CMake, 3.30 or later, warns of those that it is about to drop. Macros keep what is set here.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()

macro(ballast_need package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: install the Debian package ${debian} "
                        "(scripts/setup.sh NEED installs what a build needs)")
  endif()
endmacro()

find_package(Threads REQUIRED)
if(PROJECT_NAME STREQUAL "ballast")  # an installed library needs neither Boost nor fmt
  ballast_need(Boost libboost-dev)
endif()
# Of MPI the C functions alone are used. CMake finds those for C only where C is enabled, in each project that uses the
# installed package too, so it is asked for MPI for C++, less the bindings that were removed from the standard.
set(BALLAST_HAVE_MPI 0)
if(PROJECT_NAME STREQUAL "ballast" AND NOT BALLAST_CLUSTER STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(BALLAST_HAVE_MPI 1)
    message(STATUS "ballast::mpi is built with ${MPI_CXX_COMPILER}")
  elseif(BALLAST_CLUSTER STREQUAL "ON")
    message(FATAL_ERROR "BALLAST_CLUSTER is ON, but MPI was not found: install the Debian package libopenmpi-dev")
  else()
    message(STATUS "ballast::mpi is not built: MPI was not found")
  endif()
endif()
# What the programs and tests print, read and draw is a room of its own, which the library does without.
set(ballast_reports OFF)
if(BALLAST_COMMAND OR BALLAST_APPS OR BALLAST_TESTS)
  set(ballast_reports ON)
  ballast_need(nlohmann_json nlohmann-json3-dev)
endif()
if(PROJECT_NAME STREQUAL "ballast" OR ballast_reports OR BALLAST_MESICC)
  ballast_need(fmt libfmt-dev)
endif()
if(BALLAST_COMMAND OR BALLAST_APPS OR BALLAST_MESICC)
  ballast_need(CLI11 libcli11-dev)
endif()
if(BALLAST_BENCHMARKS)
  ballast_need(TBB libtbb-dev)
endif()
if(BALLAST_TESTS)
  ballast_need(GTest "libgtest-dev libgmock-dev")
endif()
