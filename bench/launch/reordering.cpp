// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"
#include "launch/bare_cuda.hpp"
#include "launch/benchmarks.hpp"
#include "launch/one_block_work.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_work.hpp"
#include "launch/stream_set.hpp"

namespace ballast::bench {
namespace {

/// Seconds per kernel in a row of its kind in one stream.
double serial_seconds(session& now, one_block_work& work) {
  stream_set one(*now.first(), 1);
  enter_device(*now.first());
  auto const name = "serial, " + work.name() + ", a kernel";
  constexpr std::uint32_t kernels = 128;
  now.measure(name, "s", [&] {
    return seconds_of([&] {
             for (std::size_t i = 0; i < kernels; ++i) work.launch(one[0], i % work.items());
             one.synchronize();
           }) /
           kernels;
  });
  return now.median_of(name);
}

std::vector<double> seconds_of_producers(session& now, one_block_work& work, queued_work& queue,
                                         std::uint32_t kernels) {
  return checked_seconds(now, work, std::vector(queue.launch_streams(), kernels), now.record().repetitions,
                         [&] {
                           return queue.from_threads([&](std::size_t p) {
                             for (std::uint32_t i = 0; i < kernels; ++i) work.submit(queue[p], p);
                           });
                         });
}

std::vector<std::uint32_t> numbers_of_reordered_kernels(session const& now) {
  if (now.quick()) return {1, 5};
  if (!now.first()->is_cuda()) return {1, 5, 20};
  return {1, 2, 5, 10, 20, 50, 100};
}

/// Measures the curve of this number of launch streams.
void measure_producers(session& now, one_block_work& work, double serial, std::size_t producers) {
  queued_work queue({now.first()}, "round_robin", 0, producers);
  auto const curve =
      std::to_string(producers) + (producers == 1 ? " producer, " : " producers, ") + work.name();
  for (auto const kernels : numbers_of_reordered_kernels(now))
    add_speedups(now, curve, kernels, serial * double(producers * kernels),
                 seconds_of_producers(now, work, queue, kernels));
  record_queue(now, curve, queue.statistics());
}

/// The works of each device; equal indices mean the same kernel.
using works_of_devices = std::vector<std::vector<std::unique_ptr<one_block_work>>>;

/// Samples of a run with the same number of launch streams on each device, and a thread for each; launch
/// stream p is on device p modulo devices.
std::vector<double> seconds_on(session& now, works_of_devices const& works, std::size_t which,
                               queued_work& queue, std::uint32_t kernels) {
  auto const devices = works.size();
  auto const run = [&] {
    return queue.from_threads([&](std::size_t p) {
      for (std::uint32_t i = 0; i < kernels; ++i) works[p % devices][which]->submit(queue[p], p / devices);
    });
  };
  for (auto const& own : works) own[which]->reset();
  run();
  for (auto const& own : works)
    now.verify(own[which]->ran(std::vector(own[which]->items(), kernels)),
               "every kernel of every producer ran exactly once on its device");
  return now.samples(0, now.record().repetitions, run);
}

works_of_devices works_of(session const& now, device_list const& devices, std::size_t producers) {
  works_of_devices all;
  for (auto const& device : devices) all.push_back(both_works(now, device, producers));
  return all;
}

std::string curve_of(std::size_t devices, std::string const& work) {
  if (devices == 1) return "one device, " + work;
  return (devices == 2 ? "two" : std::to_string(devices)) + " devices over one, " + work;
}

/// Measures one work on several numbers of devices. `works`: for each number, beginning with one, the works
/// of its devices. Equal indices mean the same kernel.
void measure_scaling_of(session& now, std::vector<works_of_devices> const& works, std::size_t which,
                        std::size_t producers) {
  auto const name = works[0][0][which]->name();
  std::vector<std::unique_ptr<queued_work>> queues;
  for (auto const& of : works)
    queues.push_back(
        std::make_unique<queued_work>(now.first_devices(of.size()), "round_robin", 0, of.size() * producers));
  for (auto const kernels : numbers_of_reordered_kernels(now))
    for (std::size_t i = 0; i < works.size(); ++i) {
      auto values = seconds_on(now, works[i], which, *queues[i], kernels);
      if (i > 0)
        for (auto& value : values) value /= now.median_of(curve_of(1, name), kernels);
      now.add(curve_of(works[i].size(), name), kernels, i > 0 ? "1" : "s", std::move(values));
    }
  for (std::size_t i = 0; i < works.size(); ++i)
    record_queue(now, curve_of(works[i].size(), name), queues[i]->statistics());
}

}  // namespace

/// Figure 5 of Wende et al. 2012, whose envelopes are the minimum and the maximum of ten runs. Their consumer
/// had a higher priority than the producers; the dispatcher has the same.
void measure_reordering(session& now) {
  now.axes("Producers through a round_robin queue, against one stream", "kernels of a producer",
           "times serial", true, true);
  now.repeat(1, now.size(10, 2));
  now.policy("order", "round_robin");
  record_works(now);
  std::vector<std::size_t> numbers = {1, 4, 16, 64};
  if (now.quick()) numbers = {1, 8};
  for (auto const& work : both_works(now, now.first(), numbers.back())) {
    auto const serial = serial_seconds(now, *work);
    for (auto const producers : numbers) measure_producers(now, *work, serial, producers);
  }
}

/// Figure 6 of Wende et al. 2012, and the same with more devices: 1 means that the others cost nothing.
void measure_weak_scaling(session& now) {
  now.axes("Several devices with 64 producers each, against one", "kernels of a producer",
           "time on all over time on one", true, false);
  now.repeat(1, now.size(10, 2));
  now.policy("order", "round_robin");
  record_works(now);
  auto const producers = now.size(64, 8);
  now.parameter("producers of a device", producers);
  std::vector<works_of_devices> works;
  for (auto const count : now.device_counts())
    works.push_back(works_of(now, now.first_devices(count), producers));
  for (std::size_t which = 0; which < works[0][0].size(); ++which)
    measure_scaling_of(now, works, which, producers);
}

}  // namespace ballast::bench
