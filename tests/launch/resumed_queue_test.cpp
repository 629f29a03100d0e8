// SPDX-License-Identifier: Apache-2.0
// How a paused queue is woken. Both threads are bound to one core, and the one that resumes runs only while
// the one that issues does not want to: Linux lets that one in between any two of its statements that wake
// it.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <thread>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// The first one that this thread may use.
int any_core() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) return core;
  return 0;
}

void bind_this_thread_to(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  pthread_setaffinity_np(pthread_self(), sizeof only, &only);
}

void run_only_where_nobody_else_wants_to() {
  sched_param const none{};
  pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
}

/// A ring before the pause is over would be lost.
TEST(resumed_queue, issues_what_waits_however_soon_its_thread_is_woken) {
  launch_queue queue(open_devices("host:1"), {.order = "round_robin"});  // no launch stream issues itself
  auto line = queue.make_launch_stream();
  int const core = any_core();
  line.launch([core](stream&) { bind_this_thread_to(core); }).wait();
  queue.pause();
  auto const waits = line.launch([](stream&) {});
  std::thread([&] {
    bind_this_thread_to(core);
    run_only_where_nobody_else_wants_to();
    queue.resume();
  }).join();
  EXPECT_NO_THROW(waits.wait_until(deadline::in(std::chrono::minutes(1))));
}

}  // namespace
}  // namespace ballast::test
