// SPDX-License-Identifier: Apache-2.0
#pragma once

/// BALLAST_HD marks functions that compile for host and device; without nvcc it is empty.
#if defined(__CUDACC__)
#  define BALLAST_HD __host__ __device__
#else
#  define BALLAST_HD
#endif

/// BALLAST_NOINLINE marks a function that is not inlined: a rare one does not lengthen its caller's code, a
/// frequent one gets registers of its own.
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

/// 1 where BALLAST_CHECK_BOUNDS is defined: every index of an array_view is compared with its extent, and the
/// number of items of each for_each(), reduce() and scan() with its limit. Define it for all files of a
/// program or for none: the functions that it changes are inline.
#if defined(BALLAST_CHECK_BOUNDS)
#  define BALLAST_BOUNDS_ARE_CHECKED 1
#else
#  define BALLAST_BOUNDS_ARE_CHECKED 0
#endif
