// SPDX-License-Identifier: Apache-2.0
#include "ranks/kernels.cuh"

#include <chrono>
#include <thread>

#include "ballast/kernels.cuh"
#include "uts.cuh"

namespace ballast::bench {
namespace {

BALLAST_HD std::uint64_t now_ns() {
#if BALLAST_ON_GPU
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#else
  return std::uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
#endif
}

}  // namespace

template <class Block>
BALLAST_HD void nap::operator()(Block& block) const {
  if (block.rank() != 0) return;
  auto const begin = now_ns();
  atomic_ref<std::uint64_t, scope::system>(took_ns.get()).store_relaxed(1);
#if BALLAST_ON_GPU
  while (now_ns() - begin < ns) __nanosleep(1000);
#else
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
#endif
  took_ns = now_ns() - begin;
}

BALLAST_KERNELS(rank_kernels, ballast::for_queues, nothing, nap)
BALLAST_KERNELS(tree_kernels, ballast::for_queues, test::uts_node)

}  // namespace ballast::bench
