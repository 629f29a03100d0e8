# SPDX-License-Identifier: Apache-2.0
# Included by ballast's project(): writes its libraries and executables into the file TARGETS, when all are known.

function(ballast_house_targets_of folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(found "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "UTILITY")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(further IN LISTS below)
    ballast_house_targets_of(${further} more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(ballast_house_write_targets)
  ballast_house_targets_of(${CMAKE_CURRENT_SOURCE_DIR} targets)
  list(JOIN targets "\n" lines)
  file(WRITE ${TARGETS} "${lines}\n")
endfunction()

cmake_language(DEFER CALL ballast_house_write_targets)
