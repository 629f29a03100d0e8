// SPDX-License-Identifier: Apache-2.0
#include "launch/parked_threads.hpp"

#include <barrier>
#include <chrono>
#include <future>
#include <latch>
#include <vector>

namespace ballast::bench {
namespace {

using moment = std::chrono::steady_clock;

/// Counts a latch down however the scope ends.
class counted_down {
 public:
  explicit counted_down(std::latch& counted) : counted_(&counted) {}
  ~counted_down() { counted_->count_down(); }
  counted_down(counted_down const&) = delete;
  counted_down& operator=(counted_down const&) = delete;

 private:
  std::latch* counted_;
};

}  // namespace

double seconds_of_threads(std::size_t threads, std::function<void(std::size_t)> const& work,
                          std::function<void()> const& finish) {
  moment::time_point begin;
  std::barrier together(std::ptrdiff_t(threads), [&begin]() noexcept { begin = moment::now(); });
  std::latch ended(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::future<void>> all;
  for (std::size_t t = 0; t < threads; ++t) {
    all.push_back(std::async(std::launch::async, [&, t] {
      counted_down const end(ended);
      together.arrive_and_wait();
      work(t);
    }));
  }
  ended.wait();  // to join the threads takes longer, and is not measured
  finish();
  auto const seconds = std::chrono::duration<double>(moment::now() - begin).count();
  for (auto& one : all) one.get();
  return seconds;
}

}  // namespace ballast::bench
