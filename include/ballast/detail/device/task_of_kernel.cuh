// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "ballast/array_view.cuh"
#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"
#include "ballast/version.hpp"

/// Whether this file compiles kernels, so that it can launch a kernel that is in no set. Without a CUDA
/// compiler ballast_add_kernels() defines the macro. Inline functions that .cu and .cpp files share must
/// launch kernels of sets: the linker keeps only one version of such a function.
#if !defined(BALLAST_COMPILES_KERNELS)
#  if defined(__CUDACC__)
#    define BALLAST_COMPILES_KERNELS true
#  else
#    define BALLAST_COMPILES_KERNELS false
#  endif
#endif

namespace ballast::detail {

/// The argument of an ordinary launch: the kernel, and the launched blocks of its grid.
template <class K>
struct task_of_kernel {
  K kernel;
  block_range range;
};

template <class K>
void run_task_on_cores(void const* argument, host_block_context& context) {
  auto const& task = *static_cast<task_of_kernel<K> const*>(argument);
  host_block<K> block(task.range, context.place());
  block.move_to(task.range.first + context.block);
  call_kernel(task.kernel, block);
}

#if defined(__CUDACC__)
/// Lets the stream's next launch begin once every block of this one has called, if that launch may begin
/// early.
__device__ inline void let_next_launch_begin() {
#  if BALLAST_ON_GPU && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#  endif
}
/// Every thread of a launch that may begin early calls this, and then sees what all earlier launches wrote.
/// In another launch it returns at once.
__device__ inline void await_previous_launch() {
#  if BALLAST_ON_GPU && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#  endif
}

template <class K, class Scratch = launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads, clamped_launch_bound<K::threads, launch_bound_blocks<K>>)
    run_task_on_gpu(__grid_constant__ task_of_kernel<K> const task) {
  let_next_launch_begin();
  cuda_block<K> block(task.range, nullptr);
  block.move_to(task.range.first + blockIdx.x);
  prepare_block(task.kernel, block);
  await_previous_launch();
  task.kernel(block);
}
#endif

/// The code of an ordinary launch of a kernel that creates no tasks; without a name.
template <class K>
kernel_code code_of_task() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &run_task_on_gpu<K>;
#endif
  code.host_function = &run_task_on_cores<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

/// The code of a launch of a kernel that is in no set; null if the calling file compiles no kernels. `Here`
/// is the caller's BALLAST_COMPILES_KERNELS.
template <class K, bool Here>
kernel_code const* code_without_a_set() {
  if constexpr (Here) {
    static std::string const name = type_name<K>();
    static kernel_code const code = [] {
      auto own = code_of_task<K>();
      own.name = name;
      return own;
    }();
    return &code;
  }
  return nullptr;
}

/// The argument of a kernel's addresses(), which records the addresses' offsets. Its overloads take types
/// that begin with an address.
class BALLAST_API address_visit {
 public:
  address_visit(void const* kernel, std::size_t bytes, type_namer name)
      : kernel_(std::uintptr_t(kernel)), bytes_(bytes), name_(name) {}

  template <class T>
  void operator()(array_ref<T> const& member) {
    note(&member, 0, 1);
  }
  template <class T, int Rank>
  void operator()(array_view<T, Rank> const& member) {
    static_assert(std::is_standard_layout_v<array_view<T, Rank>>);
    note(&member, 0, 1);
  }
  template <class T>
  void operator()(result_ref<T> const& member) {
    note(&member, sizeof(T), alignof(T));
  }
  template <class T>
  void operator()(T* const& member) {
    static_assert(!std::is_function_v<T>, "addresses() visits a pointer to a function, which cannot travel");
    note(&member, 0, 1);
  }
  template <class Other>
  void operator()(Other const&) {
    static_assert(sizeof(Other) == 0,
                  "addresses() visits what is no address: visit members that are array_ref, array_view, "
                  "result_ref or pointers, and leave out the others");
  }

  kernel_travel take() { return std::move(noted_); }

 private:
  void note(void const* member, std::size_t result_bytes, std::size_t alignment);

  std::uintptr_t kernel_;
  std::size_t bytes_;
  type_namer name_;
  kernel_travel noted_;
};

template <class K>
constexpr bool says_travels_by_value = false;
template <class K>
requires requires { requires std::is_same_v<decltype(K::travels_by_value), bool const>; }
constexpr bool says_travels_by_value<K> = K::travels_by_value;

/// The kernel's description of its members, found by visiting a kernel of all zeros. Throws error if
/// addresses() visits something that is not a member.
template <class K>
std::optional<kernel_travel> travel_of() {
  if constexpr (requires(K & kernel, address_visit & visit) { kernel.addresses(visit); }) {
    static_assert(!says_travels_by_value<K>,
                  "K says that it travels by value, and has addresses(): leave out one of them");
    alignas(K) unsigned char zeros[sizeof(K)] = {};
    address_visit visit(zeros, sizeof(K), &type_name<K>);
    std::launder(reinterpret_cast<K*>(zeros))->addresses(visit);
    return visit.take();
  } else if constexpr (says_travels_by_value<K>) {
    return kernel_travel();
  } else {
    return std::nullopt;
  }
}

template <class K>
constexpr bool is_repeatable = false;
template <class K>
requires requires { requires std::is_same_v<decltype(K::repeatable), bool const>; }
constexpr bool is_repeatable<K> = K::repeatable;

template <class K>
listed_kernel list_kernel() {
  return {.key = key_of<K>,
          .name = type_name<K>(),
          .code = code_of_task<K>(),
          .bytes = sizeof(K),
          .argument_bytes = sizeof(task_of_kernel<K>),
          .by_reference = is_by_reference<K>,
          .needs_occupancy = needs_occupancy<K>,
          .travel = travel_of<K>(),
          .repeatable = is_repeatable<K>,
          .prepares = has_prepare<K, host_block<K>>};
}

}  // namespace ballast::detail
