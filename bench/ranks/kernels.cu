// SPDX-License-Identifier: Apache-2.0
#include "ranks/kernels.cuh"

#include <chrono>
#include <thread>

#include "ballast/kernels.cuh"
#include "uts.cuh"

namespace ballast::bench {
namespace {

BALLAST_HD std::uint64_t time_ns() {
#if BALLAST_ON_GPU
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#else
  return now_ns();
#endif
}

BALLAST_HD std::uint64_t sleep_for(std::uint64_t ns) {
  auto const begin = time_ns();
#if BALLAST_ON_GPU
  while (time_ns() - begin < ns) __nanosleep(1000);
#else
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
#endif
  return time_ns() - begin;
}

}  // namespace

std::uint64_t now_ns() {
  return std::uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

gift_times& last_gift() {
  static gift_times last;
  return last;
}

template <class Block>
BALLAST_HD void nap::operator()(Block& block) const {
  if (block.rank() == 0) took_ns = sleep_for(ns);
}

template <class Block>
BALLAST_HD void hold::operator()(Block& block) const {
  if (block.rank() != 0) return;
  atomic_ref<std::uint64_t, scope::system> const now(state.get());
  if (now.load_relaxed() != is_there) return;
  now.store_relaxed(has_begun);
  for (int ms = 0; ms < 60'000 && now.load_relaxed() != may_end; ++ms) sleep_for(1'000'000);
}

template <class Block>
BALLAST_HD void asked_for::operator()(Block& block) const {
  if (block.rank() != 0) return;
#if BALLAST_ON_GPU
  ages = gift_ages{};
#else
  auto const begin = now_ns();
  ages = gift_ages{begin - last_gift().asked_ns, begin - last_gift().came_ns};
#endif
}

template <class Block>
BALLAST_HD void nap_in_line::operator()(Block& block) const {
  if (block.rank() != 0) return;
  auto const own = block.index();
  auto steps = now[own].steps;
  if (own > 0 && now[own - 1].steps < steps) steps = now[own - 1].steps;
  if (own + 1 < cells && now[own + 1].steps < steps) steps = now[own + 1].steps;
  next[own] = {now[own].ns + sleep_for(ns), steps + 1};
}

BALLAST_KERNELS(rank_kernels, ballast::for_queues, nothing, luggage<40>, nap, hold, asked_for)
BALLAST_KERNELS(large_kernels, ballast::for_queues, luggage<4000>, hold)
BALLAST_KERNELS(line_kernels, ballast::for_jobs, nap_in_line)
BALLAST_KERNELS(row_kernels, ballast::for_jobs, number_row)
BALLAST_KERNELS(tree_kernels, ballast::for_queues, test::uts_node)

}  // namespace ballast::bench
