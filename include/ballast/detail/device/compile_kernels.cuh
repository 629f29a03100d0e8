// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// Does not compile if tasks of the set create tasks: for uses that do not support that.
template <class Use, bool KeepsTasks>
constexpr void refuse_created_tasks() {
  static_assert(
      !KeepsTasks,
      "kernels of one thread, and those that create tasks or reduce, are for pools, as is a set that "
      "is for_pools: make two sets");
}

}  // namespace ballast::detail

namespace ballast {

/// Among the kernels of BALLAST_KERNELS: compiles only an ordinary launch of each kernel, which every set has
/// and which is all that jobs need.
struct for_jobs {
  /// Shows BALLAST_KERNELS that this is no kernel.
  static constexpr bool keeps_tasks = false;
  /// Adds nothing, since every set has ordinary launches; for BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code&) {
    detail::refuse_created_tasks<for_jobs, KeepsTasks>();
  }
};

}  // namespace ballast

namespace ballast::detail {

/// The uses that BALLAST_KERNELS accepts besides kernels: for_jobs, and its counterparts in other modules.
template <class T>
concept use_of_kernels = requires {
  T::keeps_tasks;
};

/// Separates a list into kernels and uses, each in their order.
template <class Kernels, class Uses, class... Left>
struct sorted_list {
  using kernels = Kernels;
  using uses = Uses;
};
template <class... K, class... Use, class Next, class... Left>
struct sorted_list<types<K...>, types<Use...>, Next, Left...>
    : sorted_list<types<K..., Next>, types<Use...>, Left...> {};
template <class... K, class... Use, use_of_kernels Next, class... Left>
struct sorted_list<types<K...>, types<Use...>, Next, Left...>
    : sorted_list<types<K...>, types<Use..., Next>, Left...> {};

/// Compiles the uses that fit, for a set that names none. Defined in ballast/kernels.cuh.
template <class... K>
void compile_what_fits(compiled_code& into);

template <class... K, class... Use>
compiled_code compile_kernels(types<K...>, types<Use...>) {
  static_assert(sizeof...(K) >= 1, "a set has at least one kernel");
  static_assert(check_kernels<max_launch_bytes, K...>());
  constexpr bool keeps_tasks = (is_for_pools<K> || ...) || (Use::keeps_tasks || ...);
  compiled_code code;
  if constexpr (!keeps_tasks) code.kernels = {list_kernel<K>()...};
  if constexpr (sizeof...(Use) == 0)
    compile_what_fits<K...>(code);
  else
    (Use::template compile<keeps_tasks, K...>(code), ...);
  return code;
}

template <class... Item>
compiled_code compile_kernels() {
  using sorted = sorted_list<types<>, types<>, Item...>;
  return compile_kernels(typename sorted::kernels(), typename sorted::uses());
}

}  // namespace ballast::detail

/// Compiles a set of kernels, once, in a .cu file: defines `ballast::kernel_set const& name()`, which a
/// header declares for the .cpp files that use it. The kernels' declarations decide what is compiled:
///   - if one of them has one thread, or declares `spawns`, `joins` or `reduces`: for task pools of the
///     default method, and for task queues unless one of them reduces;
///   - otherwise for task queues if the kernels are at most 126 and have equal `threads`, and for launch
///     queues if they are at most 128; launch queues merge kernels of at most 192 bytes.
/// Jobs run the kernels of every set whose tasks create no tasks. A kernel has at most 4000 bytes of members;
/// list a larger one as indirect<K>. For kernels over 40 bytes, queues and pools keep the members in pinned
/// memory, which the blocks read. List indirect<K> too if tasks create tasks of such a kernel K.
///
/// To compile less, or more, name the uses among the kernels: for_queues, for_pools, for_launches,
/// for_jobs; for_chen_queues (ballast/methods/chen_kernels.cuh), for_pool_methods (methods/pool_methods.cuh).
/// Then the set supports only these.
#define BALLAST_KERNELS(name, ...)                                                                    \
  ::ballast::kernel_set const& name() {                                                               \
    static ::ballast::kernel_set const set(#name, ::ballast::detail::compile_kernels<__VA_ARGS__>()); \
    return set;                                                                                       \
  }
