// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/job/compile_job.cuh"

/// Compiles a list of kernels for jobs, once, in a .cu file: defines `ballast::job_kernels const& name()`,
/// which a header declares for the .cpp files that use it. A kernel has at most 4000 bytes of members. Its
/// block's index() counts the blocks of the job, x fastest; first() and count() are those of the task.
#define BALLAST_JOB_KERNELS(name, ...)                                                               \
  ::ballast::job_kernels const& name() {                                                             \
    static_assert(::ballast::check_kernels<::ballast::detail::max_job_kernel_bytes, __VA_ARGS__>()); \
    static ::ballast::job_kernels const list(#name, ::ballast::detail::list_kernels<__VA_ARGS__>()); \
    return list;                                                                                     \
  }
