// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "ballast/job_kernels.cuh"
#include "ballast/launch_kernels.cuh"
#include "ballast/methods/chen_kernels.cuh"
#include "ballast/pool_kernels.cuh"
#include "ballast/queue_kernels.cuh"
#include "ballast/spawning_kernels.cuh"

/// One list of each kind that kernels are compiled for outside of pools, and of each kind that pools run,
/// with a type of its own, since the compiler says what is wrong with a type once: kernel is a template<int>.
#define IN_EACH_LIST_OUTSIDE_POOLS(kernel)             \
  BALLAST_KERNELS(list_for_queues, kernel<0>)          \
  BALLAST_KERNELS_WITH_CHEN(list_for_chen, kernel<1>)  \
  BALLAST_LAUNCH_KERNELS(list_for_launches, kernel<2>) \
  BALLAST_JOB_KERNELS(list_for_jobs, kernel<3>)
#define IN_EACH_LIST(kernel)                             \
  IN_EACH_LIST_OUTSIDE_POOLS(kernel)                     \
  BALLAST_SPAWNING_KERNELS(list_for_spawning, kernel<4>) \
  BALLAST_POOL_KERNELS(list_for_pools, kernel<5>)
