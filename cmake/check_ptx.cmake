# SPDX-License-Identifier: Apache-2.0
# cmake -D PTX=file -P check_ptx.cmake: fails if the file holds a load through the read-only cache.

file(STRINGS ${PTX} entries REGEX "\\.entry")
if(NOT entries)
  message(FATAL_ERROR "${PTX} holds no kernel, so there is nothing to check")
endif()
file(STRINGS ${PTX} loads REGEX "ld\\.global\\.nc")
list(LENGTH loads count)
if(count GREATER 0)
  list(GET loads 0 first)
  message(FATAL_ERROR "${PTX} holds ${count} loads through the read-only cache, the first: ${first}")
endif()
