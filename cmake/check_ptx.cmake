# SPDX-License-Identifier: Apache-2.0
# cmake -D PTX=file [-D RESIDENT_ONLY=ON] -P check_ptx.cmake: fails if a kernel of the file, or one that stays on the
# device, has a load through the read-only cache.

file(STRINGS ${PTX} lines REGEX "\\.entry|ld\\.global\\.nc")
if(NOT lines MATCHES "\\.entry")
  message(FATAL_ERROR "${PTX} holds no kernel, so there is nothing to check")
endif()
set(is_checked ON)
foreach(line IN LISTS lines)
  if(NOT line MATCHES "\\.entry")
    if(is_checked)
      message(FATAL_ERROR "${PTX} holds a load through the read-only cache: ${line}")
    endif()
  elseif(RESIDENT_ONLY AND NOT line MATCHES "work_on_gpu")
    set(is_checked OFF)
  else()
    set(is_checked ON)
  endif()
endforeach()
