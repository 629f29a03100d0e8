# SPDX-License-Identifier: Apache-2.0
# Libraries from the system; a missing one is named as Debian names it.

macro(ballast_need package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: install the Debian package ${debian} "
                        "(scripts/setup.sh installs all that ballast needs)")
  endif()
endmacro()

find_package(Threads REQUIRED)
ballast_need(fmt libfmt-dev)
ballast_need(nlohmann_json nlohmann-json3-dev)
ballast_need(Boost libboost-dev)
