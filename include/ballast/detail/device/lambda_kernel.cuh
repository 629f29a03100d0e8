// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The parameters of a kernel that is a lambda: its block or item, then the arrays of a job. A block covers
/// `items_of_block` indices of the launch's range: one for a lambda that takes a block, several for one that
/// takes an item.
template <class Call>
struct lambda_signature;
template <class Lambda, std::uint32_t Threads, class... Argument>
struct lambda_signature<void (Lambda::*)(block_of<Threads> const&, Argument...) const> {
  using block = block_of<Threads>;
  using arguments = types<Argument...>;
  static constexpr std::uint32_t items_of_block = 1;
};
template <class Lambda, class... Argument>
struct lambda_signature<void (Lambda::*)(item, Argument...) const> {
  using block = block_of<256>;
  using arguments = types<Argument...>;
  static constexpr std::uint32_t items_of_block = 1024;  // enough to make a block worth starting on a core
};
template <class Lambda, std::uint32_t Threads, class... Argument>
struct lambda_signature<void (Lambda::*)(block_of<Threads> const&, Argument...) const noexcept>
    : lambda_signature<void (Lambda::*)(block_of<Threads> const&, Argument...) const> {};
template <class Lambda, class... Argument>
struct lambda_signature<void (Lambda::*)(item, Argument...) const noexcept>
    : lambda_signature<void (Lambda::*)(item, Argument...) const> {};
template <class Lambda>
using signature_of = lambda_signature<decltype(&Lambda::operator())>;

/// A lambda whose first parameter is a block_of or an item.
template <class Lambda>
concept lambda_kernel = requires {
  typename signature_of<Lambda>::block;
};

/// One argument bound to a lambda. A std::tuple of the arguments would not be trivially copyable.
template <std::size_t Index, class T>
struct bound_argument {
  T value;
};
template <class Indices, class... T>
struct bound_arguments;
template <std::size_t... Index, class... T>
struct bound_arguments<std::index_sequence<Index...>, T...> : bound_argument<Index, T>... {
  template <class Lambda, class First>
  BALLAST_HD void call(Lambda const& body, First const& first) const {
    body(first, static_cast<bound_argument<Index, T> const&>(*this).value...);
  }
};

/// Runs block `number` of a launch over the range.
template <class Lambda, class Arguments>
BALLAST_HD void run_block(Lambda const& body, Arguments const& arguments, block_range range,
                          std::uint32_t number) {
  using signature = signature_of<Lambda>;
  constexpr auto each = signature::items_of_block;
  typename signature::block const block(range, range.first + number);
  if constexpr (each == 1) {
    arguments.call(body, block);
  } else {
    auto const done = number * each, left = range.count - done;
    block.for_each(left < each ? left : each,
                   [&](std::uint32_t i) { arguments.call(body, item(range.first + done + i)); });
  }
}

/// The number of blocks for the range.
template <class Lambda>
constexpr std::uint32_t blocks_of_lambda(block_range range) {
  constexpr auto each = signature_of<Lambda>::items_of_block;
  return range.count / each + (range.count % each != 0 ? 1 : 0);
}

/// The argument of a launch of a lambda. On the host, nvcc gives a lambda with captures another type, which
/// keeps the captures in memory that it frees. So cores get the lambda's address, and a GPU its bytes.
template <class Lambda, class... Argument>
struct task_of_lambda {
  Lambda const* on_cores;
  alignas(Lambda) unsigned char bytes[sizeof(Lambda)];
  bound_arguments<std::index_sequence_for<Argument...>, Argument...> arguments;
  block_range range;

  /// `body` must live until the launch has ended on cores.
  task_of_lambda(Lambda const& body, block_range blocks, Argument const&... bound)
      : on_cores(&body), arguments{{bound}...}, range(blocks) {
    __builtin_memcpy(bytes, static_cast<void const*>(&body), sizeof bytes);
  }
};

template <class Lambda, class... Argument>
void run_lambda_on_cores(void const* argument, host_block_context& context) {
  auto const& task = *static_cast<task_of_lambda<Lambda, Argument...> const*>(argument);
  run_block(*task.on_cores, task.arguments, task.range, context.block);
}

#if defined(__CUDACC__)
template <class Lambda, class... Argument>
__global__ void __launch_bounds__(signature_of<Lambda>::block::gpu_threads)
    run_lambda_on_gpu(__grid_constant__ task_of_lambda<Lambda, Argument...> const task) {
#  if defined(__CUDA_ARCH__)
  static_assert(std::is_trivially_copyable_v<Lambda>,
                "what a kernel's lambda captures travels as bytes: numbers and array_refs");
#  endif
  let_next_launch_begin();
  await_previous_launch();
  run_block(reinterpret_cast<Lambda const&>(task.bytes), task.arguments, task.range, blockIdx.x);
}
#endif

/// The code of a launch of a lambda; `Here` is BALLAST_COMPILES_KERNELS.
template <bool Here, class Lambda, class... Argument>
kernel_code const& code_of_lambda(types<Argument...>) {
  static_assert(Here, "a lambda is compiled where it is handed over, so only a .cu file can be a kernel's");
  static_assert(sizeof(task_of_lambda<Lambda, Argument...>) <= max_launch_bytes,
                "this lambda's captures exceed 4000 bytes: hand over what is larger in an array");
  static kernel_code const code = [] {
    kernel_code own;
    own.name = "a lambda";
#if defined(__CUDACC__)
    own.cuda_function = &run_lambda_on_gpu<Lambda, Argument...>;
#endif
    own.host_function = &run_lambda_on_cores<Lambda, Argument...>;
    own.threads = signature_of<Lambda>::block::gpu_threads;
    return own;
  }();
  return code;
}

}  // namespace ballast::detail
