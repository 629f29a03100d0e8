# SPDX-License-Identifier: Apache-2.0
# cmake -D ROOT=folder -P refused_gpus.cmake: fails unless ballast_add_kernels() would warn of the GPUs that it should.
include(${ROOT}/cmake/ballast_kernels.cmake)

function(expect refused wanted built)
  ballast_refused_gpus(got "${wanted}" "${built}")
  if(NOT got STREQUAL refused)
    message(SEND_ERROR "of '${wanted}', a ballast for '${built}' is said to refuse '${got}', not '${refused}'")
  endif()
endfunction()

expect("" "75-real;80-real;90-real;100;120-real" "75-real;80-real;90-real;100;120-real")
expect("" "86" "80-real")
expect("75" "75-virtual;80" "80-real")
expect("90, 120" "90;90-real;120-real" "80-real")
expect("" "103-real;121" "100")
expect("" "103-real" "100f-real")
expect("110" "110" "100f-virtual")
expect("103" "100a-real;103a-real" "100a-real")
expect("80" "80;90a" "90a-virtual")
expect("" "native" "80-real")
expect("" "90" "native")
