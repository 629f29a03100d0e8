# SPDX-License-Identifier: Apache-2.0
# Flags of every file of this project; nothing here reaches a program that uses the package, or the project that this one
# is a part of.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(BUILD_SHARED_LIBS)  # where installed programs find the library, wherever both lie
  file(RELATIVE_PATH ballast_rpath /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_RPATH $ORIGIN/${ballast_rpath})
endif()

# The host half of a .cu file gets the same flags, except -Wpedantic and -Wconversion: what nvcc generates
# around the code breaks both.
function(ballast_flag flag)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
endfunction()

ballast_flag(-Wall)
ballast_flag(-Wextra)
# What is global in one source of a batch means nothing to the next. scripts/test.sh deep compiles each alone.
if(NOT BALLAST_UNITY)
  ballast_flag(-Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(flag IN ITEMS -Wshadow=local -Wno-subobject-linkage -Wno-maybe-uninitialized)
    ballast_flag(${flag})
  endforeach()
endif()
# Signs may change, which clang counts among conversions and GCC does not.
foreach(flag IN ITEMS -Wpedantic -Wconversion -Wno-sign-conversion)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}>)
endforeach()

# Binaries name no folder of the machine that built them. The last that fits counts, and debuggers want no / after the
# folder that the compiler ran in.
ballast_flag(-ffile-prefix-map=${ballast_BINARY_DIR}=.)
ballast_flag(-ffile-prefix-map=${ballast_SOURCE_DIR}/=)

# GCC 12 sees an overlap in "literal" + std::string (its bug 105651), which is there no more in GCC 13, and is wrong about
# the bounds of std::string, literals and small vectors: in headers of Boost, and in precompiled ones, which it takes for ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  foreach(flag IN ITEMS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    ballast_flag(${flag})
  endforeach()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)  # of small vectors it still is
  ballast_flag(-Wno-stringop-overread)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # which says in programs what libstdc++ 12 uses of its own for std::stable_sort
  ballast_flag(-Wno-deprecated-declarations)
endif()

# GCC 12 spends a tenth of its time on collecting its garbage, which a gigabyte spares it.
if(BALLAST_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()
if(BALLAST_WERROR)
  ballast_flag(-Werror)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--Werror all-warnings>")
endif()
if(BALLAST_NATIVE)
  ballast_flag(-march=native)
endif()

# Presets take clang for these, as GCC 12 needs four times as long for -fsanitize=undefined. Rooms and kernel lists, where the
# tests spend their time, get -O1 in ballast_add_room() and ballast_own_kernels(), but rooms that format text, which then
# takes the compiler three times as long. What UBSan would say of pointers to nothing AddressSanitizer says too.
if(BALLAST_SANITIZE STREQUAL "address-undefined")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,vptr,object-size -fno-sanitize-recover=all)
elseif(BALLAST_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
endif()
if(NOT BALLAST_SANITIZE STREQUAL "none")
  add_compile_options(${sanitizers} -fno-omit-frame-pointer -g1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # which warns wrongly of uninitialised values then
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(${sanitizers})
endif()
