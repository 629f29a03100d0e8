// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The kernel whose bytes were copied to `bytes`. It is not copied again: a kernel that takes a member's
/// address would move it to local memory, while launch parameters are as fast as registers.
template <class K>
BALLAST_HD K const& kernel_at(unsigned char const* bytes) {
  return *static_cast<K const*>(__builtin_assume_aligned(static_cast<void const*>(bytes), argument_piece));
}

/// Kernels that one merged launch may mix: they have equal `threads` and the same requirement for blocks on a
/// multiprocessor, which bounds their registers. A family costs as much as its heaviest kernel.
template <kernel_form... K>
struct kernel_family {
  static constexpr std::uint32_t threads = max_of({0u, std::uint32_t(K::threads)...});
  static constexpr std::uint32_t scratch = max_of({0u, scratch_bytes<K>...});
  static constexpr int blocks_per_multiprocessor = launch_bound_blocks<K...>;

  template <class One>
  static constexpr std::uint16_t index_of() {
    std::uint16_t place = 0;
    (void)((std::is_same_v<One, K> || (++place, false)) || ...);
    return place;
  }

  /// Runs block `block` of a merged launch on the calling block of threads, then the kernels that are chained
  /// to it. Returns the place of the block's kernel.
  template <template <class> class Block>
  BALLAST_HD static std::uint32_t run(merged_launch const& launch, std::uint32_t block,
                                      void* scratch_memory) {
    auto const place = launch.member_of(block);
    auto const first = launch.first_of(place);
    auto const end = launch.members[place].end;
    run_member<Block>(launch, place, end - first, block - first, scratch_memory);
    for (auto next = place + 1; next < launch.kernels && launch.members[next].end == end; ++next) {
      sync_block();
      run_member<Block>(launch, next, 1, 0, scratch_memory);
    }
    return place;
  }

 private:
  template <template <class> class Block>
  BALLAST_HD static void run_member(merged_launch const& launch, std::uint32_t place, std::uint32_t blocks,
                                    std::uint32_t index, void* scratch_memory) {
    auto const& member = launch.members[place];
    unsigned char const* const argument = launch.arguments + member.argument * argument_piece;
    std::uint32_t id = 0;
    (void)((member.kernel == id++ ? (run_one<Block, K>(argument, blocks, index, scratch_memory), true)
                                  : false) ||
           ...);
  }

  BALLAST_HD static void sync_block() {
#if BALLAST_ON_GPU
    __syncthreads();
#endif
  }

  template <template <class> class Block, class One>
  BALLAST_HD static void run_one(unsigned char const* argument, std::uint32_t blocks, std::uint32_t index,
                                 void* scratch_memory) {
    Block<One> block({0, blocks}, scratch_memory);
    block.move_to(index);
    invoke_kernel(kernel_at<One>(argument), block);
  }
};

template <class A, class B>
constexpr bool in_one_family =
    is_mergeable<B>&& A::threads == B::threads&& requested_blocks<A> == requested_blocks<B>;

template <class One, class Found, class... Left>
struct kernels_like;
template <class One, class... Found>
struct kernels_like<One, kernel_family<Found...>> {
  using type = kernel_family<Found...>;
};
template <class One, class... Found, class Next, class... Left>
struct kernels_like<One, kernel_family<Found...>, Next, Left...>
    : kernels_like<One,
                   std::conditional_t<in_one_family<One, Next>, kernel_family<Found..., Next>,
                                      kernel_family<Found...>>,
                   Left...> {};

/// The family of One among K: the kernels that may run in one launch with it, in their order.
template <class One, kernel_form... K>
using family_of = typename kernels_like<One, kernel_family<>, K...>::type;

}  // namespace ballast::detail
