// SPDX-License-Identifier: Apache-2.0
// How many looks the end of a cluster queue's batch costs where continuations wait for it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "queue_ranks.hpp"

namespace ballast::test {
namespace {

/// Counts how often another source is asked whether work has ended.
class counted_looks final : public detail::completion_source {
 public:
  explicit counted_looks(std::shared_ptr<completion_source> of) : of_(std::move(of)) {}

  bool has_ended(detail::completion_key const& work) override {
    ++looks;
    return of_->has_ended(work);
  }
  void wait(detail::completion_key const& work, deadline until) override { of_->wait(work, until); }
  bool notify_at_end(detail::completion_key const& work,
                     std::shared_ptr<detail::end_listener> const& listener) override {
    return of_->notify_at_end(work, listener);
  }
  std::uint64_t max_overtaken(detail::completion_key const& work) override {
    return of_->max_overtaken(work);
  }

  std::atomic<std::uint64_t> looks = 0;

 private:
  std::shared_ptr<completion_source> const of_;
};

/// What was handed to the thread of continuations before has been looked at.
void await_thread() {
  completion().then([] {}).wait();
}

// The thread of continuations looks at some now and then, which no end costs.
TEST(cluster_queue_continuations, cost_few_looks_beside_many_that_wait_for_later_batches) {
  constexpr std::uint32_t ends = 50, many = 5000;
  gates of_batches(ends);
  cluster alone;
  cluster_queue queue(alone, open_devices("host:1"), cluster_kernels(), options_of({}));
  for (std::uint32_t i = 0; i < ends; ++i) of_batches.publish(queue, i);
  std::vector<completion> held;
  for (std::uint32_t i = 0; i < ends; ++i) held.push_back(queue.submit(of_batches.one(i)));
  auto const source = std::make_shared<counted_looks>(held.front().source());
  auto const counted = [&](completion const& end) { return completion(source, end.work()); };
  completion last;
  for (std::uint32_t i = 0; i < many; ++i) last = counted(queue.submit(task(idle{i}))).then([] {});
  await_thread();
  source->looks = 0;
  for (std::uint32_t i = 0; i < ends; ++i) {
    auto const after = counted(held[i]).then([] {});
    of_batches.open(i);
    after.wait();
  }
  EXPECT_LT(source->looks, ends * many / 4);
  last.wait();
  queue.close();
}

}  // namespace
}  // namespace ballast::test
