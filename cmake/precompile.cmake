# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, since small files spend most of their compilation on the standard library. Where ccache is
# used it does better without; and only without is an include noticed that a file forgot.

set(BALLAST_STANDARD_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <random> <ranges> <span> <sstream> <string> <thread> <unordered_map> <variant>
    <vector>)

# ballast_precompile(target headers...): the first target with these headers and its flags precompiles them for the
# others, so it comes after the target's options and libraries.
function(ballast_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(flags ${target} COMPILE_OPTIONS)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  list(FILTER libraries INCLUDE REGEX "header-only")  # these bring macros of their own
  string(MD5 flags "${type} ${flags} ${libraries} ${ARGN}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong about std::string and literals, which a precompiled header shows as ours.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>
                                             $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
  endif()
  get_property(first GLOBAL PROPERTY BALLAST_PRECOMPILED_${flags})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY BALLAST_PRECOMPILED_${flags} ${target})
  foreach(header IN LISTS ARGN)
    string(REPLACE ">" "$<ANGLE-R>" header ${header})
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${header}>)
  endforeach()
endfunction()

function(ballast_precompile_standard_headers target)
  if(BALLAST_PRECOMPILE)
    ballast_precompile(${target} ${BALLAST_STANDARD_HEADERS})
  endif()
endfunction()
