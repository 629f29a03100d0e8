// SPDX-License-Identifier: Apache-2.0
#pragma once

/// BALLAST_HD marks what compiles for host and device; without nvcc it is empty.
#if defined(__CUDACC__)
#  define BALLAST_HD __host__ __device__
#else
#  define BALLAST_HD
#endif

/// BALLAST_NOINLINE marks a function that is not inlined: seldom run, it does not lengthen the code that
/// calls it; often run, it has registers of its own.
#if defined(__CUDACC__)
#  define BALLAST_NOINLINE __noinline__
#else
#  define BALLAST_NOINLINE [[gnu::noinline]]
#endif

/// BALLAST_ON_GPU is 1 only while device code is being generated.
#if defined(__CUDA_ARCH__)
#  define BALLAST_ON_GPU 1
#else
#  define BALLAST_ON_GPU 0
#endif

/// 1 where every index of an array_view is compared with its extent, and the items of each for_each(),
/// reduce() and scan() with the most that there may be, because BALLAST_CHECK_BOUNDS is defined. Define it
/// for all files of a program or for none: the functions that it changes are inline.
#if defined(BALLAST_CHECK_BOUNDS)
#  define BALLAST_BOUNDS_ARE_CHECKED 1
#else
#  define BALLAST_BOUNDS_ARE_CHECKED 0
#endif
