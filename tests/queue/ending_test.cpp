// SPDX-License-Identifier: Apache-2.0
// What ends a queue says the same, and hands back the same tasks, in whatever order it is called.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ending_calls.hpp"
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

resident_options brief_stop() {
  resident_options options;
  options.stop_timeout = std::chrono::milliseconds(50);
  return options;
}

/// One queue of each kind over one worker, whose first task is held at a gate until a test opens it.
template <class Queue>
class ending : public testing::Test {
 protected:
  static constexpr std::uint32_t waiting = 200;

  struct ended_queue {
    explicit ended_queue(resident_options const& resident)
        : device(open_devices("host:1").front()), queue(make(device, resident)) {}

    ~ended_queue() { held.open(); }

    std::shared_ptr<compute_device> device;
    gate held{1};
    counted_words visits{device, waiting};
    std::unique_ptr<Queue> queue;
  };

  static std::unique_ptr<Queue> make(std::shared_ptr<compute_device> const& device,
                                     resident_options const& resident) {
    if constexpr (std::is_same_v<Queue, task_queue>) {
      auto options = test_options();
      options.capacity = 256;
      options.resident = resident;
      return std::make_unique<Queue>(device, kernels(), options);
    } else if constexpr (std::is_same_v<Queue, balanced_queue>) {
      balanced_options options;
      options.queue = test_options();
      options.queue.resident = resident;
      return std::make_unique<Queue>(device_list{device}, kernels(), options);
    } else {
      chen_options options;
      options.queues = 1;
      options.tasks_per_queue = 16;
      options.resident = resident;
      return std::make_unique<Queue>(device_list{device}, kernels(), options);
    }
  }
  /// Its worker is at the gate, and behind that wait `then`, if there is one, and the others.
  static std::unique_ptr<ended_queue> held_queue(std::vector<task> then,
                                                 resident_options const& resident = {}) {
    auto made = std::make_unique<ended_queue>(resident);
    made->queue->submit(made->held.holder(0));
    made->held.await_inside(1);
    if (!then.empty()) made->queue->submit(then);
    made->queue->submit(visits_of(made->visits.ref(), waiting));
    return made;
  }
  static std::uint32_t ran(ended_queue const& of) {
    auto const seen = of.visits.read();
    return std::uint32_t(std::ranges::count(seen, 1u));
  }
};

using ended_queues = testing::Types<task_queue, balanced_queue, chen_queue>;
struct ended_queue_names {
  template <class Queue>
  static std::string GetName(int) {
    return std::is_same_v<Queue, task_queue>       ? "task_queue"
           : std::is_same_v<Queue, balanced_queue> ? "balanced_queue"
                                                   : "chen_queue";
  }
};
TYPED_TEST_SUITE(ending, ended_queues, ended_queue_names);

std::vector<std::vector<std::string>> orders() { return orders_of({"close", "stop", "wait"}); }

TYPED_TEST(ending, of_a_lost_device_says_the_same_and_hands_back_the_same_in_every_order) {
  std::size_t of_first_order = 0;
  for (auto const& order : orders()) {
    auto const one = this->held_queue({task(fail{})});
    one->held.open();
    while (said_by([&] { one->device->check(); }) == "nothing") std::this_thread::yield();
    auto const all = end(*one->queue, order);
    for (auto const& said : all.said) {
      EXPECT_TRUE(said.starts_with("lost: ")) << said << " in " << text_of(order);
      EXPECT_EQ(said, all.said.front()) << "in " << text_of(order);
    }
    EXPECT_GT(all.handed_back, 0u) << "in " << text_of(order);
    if constexpr (std::is_same_v<TypeParam, task_queue>) {
      if (of_first_order == 0) of_first_order = all.handed_back;
      EXPECT_EQ(all.handed_back, of_first_order) << "in " << text_of(order);
    }
  }
}

TYPED_TEST(ending, of_a_stopped_queue_says_the_same_and_hands_back_the_same_in_every_order) {
  for (auto const& order : orders()) {
    auto const one = this->held_queue({});
    one->queue->request_stop();
    one->held.open();
    auto const all = end(*one->queue, order);
    for (auto const& said : all.said)
      EXPECT_TRUE(said.starts_with("stopped: ")) << said << " in " << text_of(order);
    EXPECT_EQ(all.handed_back + this->ran(*one), this->waiting) << "in " << text_of(order);
  }
}

TYPED_TEST(ending, that_timed_out_may_be_called_again_in_every_order) {
  for (auto const& order : {std::vector<std::string>{"close", "wait"}, {"wait", "close"}, {"wait", "wait"}}) {
    auto const one = this->held_queue({}, brief_stop());
    for (auto const& call : order)
      EXPECT_EQ(said_by([&] {
                  call == "close" ? one->queue->close(after_a_while())
                                  : one->queue->wait_all(after_a_while());
                }),
                "timed out")
          << call << " in " << text_of(order);
    EXPECT_EQ(said_by([&] { one->queue->stop(); }), "timed out") << "in " << text_of(order);
    EXPECT_EQ(said_by([&] { one->queue->stop(); }), "timed out") << "in " << text_of(order);
    one->held.open();
    std::size_t handed_back = 0;
    for (auto said = std::string("timed out"); said == "timed out";)
      said = said_by([&] { handed_back = one->queue->stop().size(); });
    EXPECT_EQ(handed_back + this->ran(*one), this->waiting) << "in " << text_of(order);
    EXPECT_TRUE(one->queue->stop().empty());
  }
}

TYPED_TEST(ending, by_stop_counts_all_tasks_that_it_hands_back) {
  auto const one = this->held_queue({});
  one->queue->request_stop();
  one->held.open();
  std::uint64_t counted = 0;
  try {
    one->queue->wait_all();
  } catch (stopped const& ended) { counted = ended.unfinished(); }
  EXPECT_GE(counted, one->queue->stop().size());
}

TYPED_TEST(ending, by_a_destructor_that_waits_is_told_before_it_waits) {
  auto one = this->held_queue({});
  std::string told;
  set_log_sink([&](log_level, std::string_view line) {
    if (line.find("waits at most") == std::string_view::npos) return;
    told = line;
    one->held.open();  // else it would wait in vain
  });
  one->queue.reset();
  set_log_sink({});
  EXPECT_NE(told.find("tasks that have not run: 20"), std::string::npos) << told;
}

TEST(cores_whose_device_was_lost, may_be_opened_anew) {
  {
    auto const device = open_devices("host:1").front();
    task_queue queue(device, kernels(), test_options(*device));
    EXPECT_THROW(queue.submit(task(fail{})).wait(), device_lost);
  }
  auto const again = open_devices("host:1").front();
  counted_words visits(again, 10);
  task_queue queue(again, kernels(), test_options(*again));
  queue.submit(visits_of(visits.ref(), 10)).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test
