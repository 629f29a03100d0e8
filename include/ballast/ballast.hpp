// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a .cpp file of a user may need. A kernel's own header needs only "ballast/kernel.cuh". The
/// .cu file that compiles kernels also includes "ballast/kernels.cuh", which this header leaves out.

#include "ballast/access_map.hpp"
#include "ballast/array_view.cuh"
#include "ballast/atomic_ref.cuh"
#include "ballast/balanced_queue.hpp"
#include "ballast/cluster.hpp"
#include "ballast/cluster_queue.hpp"
#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/result_ref.cuh"
#include "ballast/shared_array.hpp"
#include "ballast/stream.hpp"
#include "ballast/task.hpp"
#include "ballast/task_graph.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/task_queue.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"
