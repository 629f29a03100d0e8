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
