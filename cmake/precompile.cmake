# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, since small files spend most of their compilation on the standard library. Where ccache is
# used it does better without; and only without is an include noticed that a file forgot.

set(BALLAST_STANDARD_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <random> <ranges> <span> <sstream> <string> <thread> <unordered_map> <variant>
    <vector>)

# ballast_precompile(target headers...): the first target with these headers, flags and macros precompiles them for
# the others. At the end of the directory, when the target has all of these.
function(ballast_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL ballast_precompile_now [[${target}]] [[${ARGN}]])")
  endif()
endfunction()

function(ballast_precompile_now target headers)
  set(key ${headers})
  foreach(property IN ITEMS TYPE COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_LIBRARIES)
    get_target_property(value ${target} ${property})
    if(property STREQUAL "LINK_LIBRARIES")
      list(FILTER value INCLUDE REGEX "header-only") # these bring macros
    endif()
    string(APPEND key " ${value}")
  endforeach()
  string(MD5 flags "${key}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A precompiled header shows what the standard library itself uses, and does not have the option that keeps it quiet.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=invalid-pch>) # it is only slow
  get_property(first GLOBAL PROPERTY BALLAST_PRECOMPILED_${flags})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY BALLAST_PRECOMPILED_${flags} ${target})
  foreach(header IN LISTS headers)
    string(REPLACE ">" "$<ANGLE-R>" header ${header})
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${header}>)
  endforeach()
endfunction()

function(ballast_precompile_standard_headers target)
  if(BALLAST_PRECOMPILE)
    ballast_precompile(${target} ${BALLAST_STANDARD_HEADERS})
  endif()
endfunction()
