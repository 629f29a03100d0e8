// SPDX-License-Identifier: Apache-2.0
// A child made by fork() has no thread of its parent's scheduler: it is refused that, and never waits.
#include "forked_child.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "job_fixture.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

#define REFUSED(call) is_refused_after_fork([&] { call; }, #call)

/// A job that is at a gate.
struct held_job {
  held_job() {
    number(*from);
    done = jobs->submit({.grid = 4, .name = "held"}, reads(*from), writes(*to),
                        [gate = held.ref()](auto in, auto out) {
                          return copy_behind_gate{gate, in, out};
                        });
    held.await_arrival();
  }

  device_list devices = open_devices("host:1");
  gate held{devices};
  std::unique_ptr<job_scheduler> jobs =
      std::make_unique<job_scheduler>(devices, kernels(), job_options{.device_bytes = enough_device_bytes});
  std::unique_ptr<words> from = std::make_unique<words>(*jobs, std::array<std::size_t, 1>{4}),
                         to = std::make_unique<words>(*jobs, std::array<std::size_t, 1>{4});
  completion done;
};

TEST(child_made_by_fork, is_refused_the_job_schedulers_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  held_job one;
  std::vector<std::uint32_t> adopted(4);
  auto of_caller = std::make_unique<words>(*one.jobs, adopt(std::span(adopted)));
  EXPECT_EQ(end_of_child([&] {
              REFUSED(one.jobs->submit({.grid = 4}, reads(*one.from), writes(*one.to), [](auto in, auto out) {
                return copy_behind_gate{{}, in, out};
              }));
              REFUSED(one.jobs->wait_all());
              REFUSED(one.jobs->stop());
              REFUSED(one.jobs->statistics());
              REFUSED(one.to->read());
              REFUSED(one.to->write());
              REFUSED(words(*one.jobs, {4}));
              REFUSED(one.done.wait());
              REFUSED(report_of(one.done));
              REFUSED(one.done.then([] {}));
              of_caller.reset();
              one.to.reset();
              one.jobs.reset();
              return !testing::Test::HasFailure();
            }),
            well);
  one.held.open();
  EXPECT_EQ(values_of(*one.to), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST(job_scheduler, tells_that_its_destructor_waits_before_it_does) {
  held_job one;
  std::string told;
  set_log_sink([&](log_level, std::string_view line) {
    if (line.find("waits at most") == std::string_view::npos) return;
    told += line;
    one.held.open();  // else it would wait in vain
  });
  one.jobs.reset();
  set_log_sink({});
  EXPECT_NE(told.find("unfinished jobs: 1"), std::string::npos) << told;
  EXPECT_NO_THROW(one.done.wait()) << "it waited first";
}

}  // namespace
}  // namespace ballast::test
