// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/device/compile_kernels.cuh"
#include "ballast/detail/mesi/cuda_builtins.cuh"
#include "ballast/detail/mesi/kernel.cuh"
#include "ballast/detail/mesi/launch.hpp"
#include "ballast/detail/mesi/program.hpp"
#include "ballast/detail/mesi/variable.hpp"

/// Registers the launches of a file; place it at the file's end.
#define BALLAST_MESI_KERNELS(...)                                                                     \
  namespace {                                                                                         \
  template <class... Launch>                                                                          \
  struct ballast_mesi_list {                                                                          \
    static ::ballast::kernel_set const& kernels() {                                                   \
      static ::ballast::kernel_set const set(                                                         \
          __FILE__, ::ballast::detail::compile_kernels<::ballast::for_jobs,                           \
                                                       ::ballast::mesi::thread_blocks<Launch>...>()); \
      return set;                                                                                     \
    }                                                                                                 \
  };                                                                                                  \
  ::ballast::mesi::kernel_registration const ballast_mesi_registration(                               \
      &ballast_mesi_list<__VA_ARGS__>::kernels);                                                      \
  }
