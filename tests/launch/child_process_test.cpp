// SPDX-License-Identifier: Apache-2.0
// A child made by fork() has no thread of its parent's launch queue: it is refused that, and never waits.
#include "forked_child.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "fixture.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

#define REFUSED(call) is_refused_after_fork([&] { call; }, #call)

void await_arrival(shared_words const& gate) {
  while (std::atomic_ref(gate[1]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
}

TEST(child_made_by_fork, is_refused_the_launch_queues_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  shared_words const gate(2);
  auto queue = std::make_unique<launch_queue>(open_devices("host:1"), kernels());
  auto stream = std::make_unique<launch_stream>(queue->make_launch_stream());
  auto const done = stream->launch(arrive_at_gate{gate.ref()}, 1);
  await_arrival(gate);
  EXPECT_EQ(end_of_child([&] {
              REFUSED(stream->launch(count_visits{gate.ref()}, 1));
              REFUSED(stream->after(done));
              REFUSED(stream->wait_issued());
              REFUSED(queue->make_launch_stream());
              REFUSED(queue->make_launch_stream_on(0));
              REFUSED(queue->pause());
              REFUSED(queue->resume());
              REFUSED(queue->wait_all());
              REFUSED(queue->stop());
              REFUSED(queue->statistics());
              REFUSED(done.wait());
              REFUSED(done.then([] {}));
              queue.reset();
              stream.reset();
              return !testing::Test::HasFailure();
            }),
            well);
  gate.open();
  done.wait();
}

TEST(launch_queue, tells_that_its_destructor_waits_before_it_does) {
  shared_words const gate(2);
  std::string told;
  completion done;
  {
    launch_queue queue(open_devices("host:1"), kernels());
    auto stream = queue.make_launch_stream();
    done = stream.launch(arrive_at_gate{gate.ref()}, 1);
    await_arrival(gate);
    set_log_sink([&](log_level, std::string_view line) {
      if (line.find("waits at most") == std::string_view::npos) return;
      told += line;
      gate.open();  // else it would wait in vain
    });
  }
  set_log_sink({});
  EXPECT_NE(told.find("unfinished launches: 1"), std::string::npos) << told;
  EXPECT_NO_THROW(done.wait()) << "it waited first";
}

}  // namespace
}  // namespace ballast::test
