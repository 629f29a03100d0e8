// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <thread>

#include "fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr id_t calling_thread = 0;

int own_niceness() { return getpriority(PRIO_PROCESS, calling_thread); }

/// Of the thread that issues, which no launch stream of this order does itself.
int niceness_of_dispatcher(std::optional<int> asked) {
  launch_queue queue(first_device(), {.order = "round_robin", .dispatcher_niceness = asked});
  auto line = queue.make_launch_stream();
  int seen = 0;
  line.launch([&](stream&) { seen = own_niceness(); }).wait();
  return seen;
}

bool may_set(int niceness) {
  bool may = false;
  std::thread([&] { may = setpriority(PRIO_PROCESS, calling_thread, niceness) == 0; }).join();
  return may;
}

TEST(dispatcher_niceness, is_that_of_who_makes_the_queue_if_none_is_asked_for) {
  std::thread([] {
    setpriority(PRIO_PROCESS, calling_thread, 7);
    EXPECT_EQ(niceness_of_dispatcher({}), own_niceness());
  }).join();
}

TEST(dispatcher_niceness, is_what_is_asked_for_and_of_no_other_thread) {
  auto const before = own_niceness();
  EXPECT_EQ(niceness_of_dispatcher(19), 19);
  EXPECT_EQ(own_niceness(), before);
}

TEST(dispatcher_niceness, that_the_system_refuses_is_a_bad_argument) {
  auto const ask = [] { EXPECT_EQ(niceness_of_dispatcher(-20), -20); };
  EXPECT_EQ(refused_argument(ask), may_set(-20) ? "nothing" : "dispatcher_niceness");
}

TEST(dispatcher_niceness, outside_of_its_range_is_refused) {
  for (int const niceness : {-21, 20}) {
    auto const ask = [&] { launch_queue(first_device(), {.dispatcher_niceness = niceness}); };
    EXPECT_EQ(refused_argument(ask), "dispatcher_niceness") << niceness;
  }
}

}  // namespace
}  // namespace ballast::test
