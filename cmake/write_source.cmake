# SPDX-License-Identifier: Apache-2.0
# cmake -D ROOT=folder -D HEADER=file -P write_source.cmake: writes the commit of ROOT, with "-dirty" if tracked files differ
# from it, as the macro BALLAST_SOURCE: of an archive that Git made its commit, and "" of another copy. An unchanged header stays as
# old as it is.

function(ask result)
  execute_process(COMMAND git -C ${ROOT} ${ARGN} OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE code
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    set(text "none")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(archived "$Format:%H$")  # the hash in an archive, by .gitattributes
set(source "")
if(archived MATCHES "^[0-9a-f]+$")
  set(source ${archived})
endif()
ask(prefix rev-parse --show-prefix)
if(prefix STREQUAL "")  # not in a copy inside another project's checkout
  ask(commit rev-parse HEAD)
  ask(changes status --porcelain --untracked-files=no)
  if(NOT commit STREQUAL "none" AND NOT changes STREQUAL "none")
    set(source ${commit})
    if(changes)
      string(APPEND source "-dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n#define BALLAST_SOURCE \"${source}\"\n" @ONLY)
