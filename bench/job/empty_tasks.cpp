// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"
#include "job/benchmarks.hpp"
#include "job/empty_kernels.cuh"

namespace ballast::bench {
namespace {

constexpr double microseconds = 1e6;

void measure_count(session& now, job_scheduler& jobs, std::string const& curve, std::uint32_t tasks) {
  auto const submit_and_wait = [&] {
    job_setup const setup{.grid = tasks, .policy = "master_worker", .tasks = tasks};
    return microseconds * seconds_of([&] { jobs.submit(setup, [] { return empty_block(); }).wait(); });
  };
  now.measure(curve, tasks, "us", submit_and_wait);
  auto const before = jobs.statistics().tasks;
  submit_and_wait();
  now.verify(jobs.statistics().tasks - before == tasks, "a job has as many tasks as it was to have");
}

}  // namespace

void measure_job_empty_tasks(session& now) {
  now.axes("A job of tasks that do nothing, from submit() to wait()", "tasks", "microseconds", true);
  now.repeat(now.quick() ? 10 : 200, now.quick() ? 20 : 1000);
  for (std::uint32_t const in_flight : {2, 8}) {
    job_scheduler jobs({now.first()}, empty_kernels(), {.in_flight = in_flight});
    for (std::uint32_t const tasks : {1, 8, 64})
      measure_count(now, jobs, std::to_string(in_flight) + " in flight", tasks);
  }
}

}  // namespace ballast::bench
