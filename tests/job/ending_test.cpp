// SPDX-License-Identifier: Apache-2.0
// What ends jobs says the same, and hands back the same jobs, in whatever order it is called.
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "ending_calls.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
namespace {

std::vector<std::vector<std::string>> orders() { return orders_of({"job", "stop", "wait"}); }

/// A job whose blocks wait at a gate, and one that comes after it.
class ended_jobs {
 public:
  ended_jobs() { number(from), fill_with(to, 0); }
  ~ended_jobs() { closed.open(); }

  void submit_held() {
    first = jobs.submit({.grid = 16}, reads(from), writes(to), [this](auto in, auto out) {
      return copy_behind_gate{closed.ref(), in, out};
    });
    submit_behind();
  }
  /// The device is lost with it.
  void submit_failing() {
    first = jobs.submit({.grid = 16}, updates(to), [](auto all) { return fault{all}; });
    submit_behind();
  }
  outcome_of_calls end(std::vector<std::string> const& order) {
    outcome_of_calls all;
    for (auto const& call : order) {
      if (call == "stop")
        all.handed_back += jobs.stop().size();
      else if (call == "wait")
        EXPECT_EQ(said_by([&] { jobs.wait_all(); }), "nothing") << "in " << text_of(order);
      else
        all.said.push_back(said_by([&] { behind.wait(); }));
    }
    return all;
  }

  device_list devices = open_devices("host:1");
  gate closed{devices};
  job_scheduler jobs{
      devices,
      kernels(),
      {.policy = "master_worker", .tasks = 16, .in_flight = 1, .device_bytes = enough_device_bytes}};
  words from{jobs, {16}, "from"}, to{jobs, {16}, "to"};
  completion first, behind;

 private:
  void submit_behind() {
    behind = jobs.submit({.grid = 16}, updates(to), [](auto all) { return count_visits{all}; });
  }
};

TEST(job_ending, of_a_lost_device_says_the_same_and_hands_back_the_same_in_every_order) {
  for (auto const& order : orders()) {
    ended_jobs all;
    all.submit_failing();
    EXPECT_THROW(all.first.wait(), job_failed);
    auto const why = said_by([&] { all.behind.wait(); });
    auto const outcome = all.end(order);
    for (auto const& said : outcome.said) EXPECT_EQ(said, why) << "in " << text_of(order);
    EXPECT_EQ(outcome.handed_back, 0u) << "failed jobs are not those of stop(), in " << text_of(order);
    EXPECT_THROW(all.to.read(), job_failed);
  }
}

TEST(job_ending, by_stop_says_the_same_and_hands_back_the_same_in_every_order) {
  for (auto const& order : orders()) {
    ended_jobs all;
    all.submit_held();
    all.closed.await_arrival();
    all.jobs.request_stop();
    all.closed.open();
    auto const outcome = all.end(order);
    EXPECT_EQ(outcome.handed_back, 2u) << "in " << text_of(order);
    for (auto const& said : outcome.said) {
      EXPECT_TRUE(said.starts_with("stopped: ")) << said << " in " << text_of(order);
      EXPECT_EQ(said, outcome.said.front()) << "in " << text_of(order);
    }
  }
}

TEST(job_ending, that_timed_out_may_be_called_again_in_every_order) {
  for (auto const& order : orders_of({"job", "wait"})) {
    ended_jobs all;
    all.submit_held();
    for (auto const& call : order)
      EXPECT_EQ(said_by([&] {
                  call == "wait" ? all.jobs.wait_all(after_a_while())
                                 : all.behind.wait_until(after_a_while());
                }),
                "timed out")
          << call << " in " << text_of(order);
    all.closed.await_arrival();
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(said_by([&] { all.jobs.stop(after_a_while()); }), "timed out") << "in " << text_of(order);
    all.closed.open();
    auto const outcome = all.end({"stop", "job", "stop", "wait"});
    EXPECT_EQ(outcome.handed_back, 2u) << "in " << text_of(order);
  }
}

}  // namespace
}  // namespace ballast::test
