// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "ballast/kernels.cuh"
#include "ballast/methods/chen_kernels.cuh"
#include "ballast/methods/pool_methods.cuh"

/// One set for each use that is for kernels which create no tasks, and for each that is for such as do, with
/// a type of its own, since the compiler says what is wrong with a type once: kernel is a template<int>.
#define IN_EACH_LIST_OUTSIDE_POOLS(kernel)                             \
  BALLAST_KERNELS(list_for_queues, ballast::for_queues, kernel<0>)     \
  BALLAST_KERNELS(list_for_chen, ballast::for_chen_queues, kernel<1>)  \
  BALLAST_KERNELS(list_for_launches, ballast::for_launches, kernel<2>) \
  BALLAST_KERNELS(list_for_jobs, ballast::for_jobs, kernel<3>)
#define IN_EACH_LIST(kernel)                                     \
  IN_EACH_LIST_OUTSIDE_POOLS(kernel)                             \
  BALLAST_KERNELS(list_for_pools, ballast::for_pools, kernel<4>) \
  BALLAST_KERNELS(list_for_methods, ballast::for_pool_methods, kernel<5>)
