# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, since small files spend most of their compilation on the standard library. Where ccache is
# used it does better without; and only without is an include noticed that a file forgot.

set(BALLAST_STANDARD_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <random> <ranges> <span> <sstream> <string> <thread> <unordered_map> <variant>
    <vector>)

# ballast_precompile(target headers...): targets with the same headers, flags and macros share one precompiled header, if they have
# three batches of sources among them: for fewer it takes longer than it saves. At the end, when targets have all of these.
function(ballast_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  get_property(targets GLOBAL PROPERTY BALLAST_PRECOMPILED)
  if(NOT targets)
    cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL ballast_precompile_all)
  endif()
  set_property(GLOBAL APPEND PROPERTY BALLAST_PRECOMPILED ${target})
  set_property(TARGET ${target} PROPERTY BALLAST_HEADERS ${ARGN})
endfunction()

function(ballast_precompile_all)
  get_property(targets GLOBAL PROPERTY BALLAST_PRECOMPILED)
  set(groups "")
  foreach(target IN LISTS targets)
    ballast_precompile_group(${target} group)
    list(APPEND groups ${group})
    list(APPEND targets_of_${group} ${target})
    ballast_count_batches(${target} batches)
    math(EXPR batches_of_${group} "0${batches_of_${group}} + ${batches}")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    if(batches_of_${group} GREATER_EQUAL 3)
      ballast_precompile_for(${targets_of_${group}})
    endif()
  endforeach()
endfunction()

function(ballast_precompile_group target result)
  set(key "")
  foreach(property IN ITEMS BALLAST_HEADERS TYPE COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_LIBRARIES)
    get_target_property(value ${target} ${property})
    if(property STREQUAL "LINK_LIBRARIES")
      list(FILTER value INCLUDE REGEX "header-only") # these bring macros
    endif()
    string(APPEND key " ${value}")
  endforeach()
  string(MD5 group "${key}")
  set(${result} ${group} PARENT_SCOPE)
endfunction()

# How often the compiler runs for sources that may have precompiled headers.
function(ballast_count_batches target result)
  set(batches 0)
  get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  if(NOT excluded AND CMAKE_UNITY_BUILD)
    get_target_property(size ${target} UNITY_BUILD_BATCH_SIZE)
    math(EXPR batches "(${count} + ${size} - 1) / ${size}")
  elseif(NOT excluded)
    set(batches ${count})
  endif()
  set(${result} ${batches} PARENT_SCOPE)
endfunction()

# The first of them precompiles for all.
function(ballast_precompile_for first)
  get_target_property(headers ${first} BALLAST_HEADERS)
  foreach(header IN LISTS headers)
    string(REPLACE ">" "$<ANGLE-R>" header ${header})
    target_precompile_headers(${first} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${header}>)
  endforeach()
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
  foreach(target IN LISTS ARGV)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=invalid-pch>) # it is only slow
  endforeach()
endfunction()

# ballast_precompile_standard_headers(target [headers...]): and these.
function(ballast_precompile_standard_headers target)
  if(BALLAST_PRECOMPILE)
    ballast_precompile(${target} ${BALLAST_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()
