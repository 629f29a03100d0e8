// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "job/benchmarks.hpp"
#include "job/empty_kernels.cuh"

namespace ballast::bench {
namespace {

/// Copies from the same host memory to each device, all at once.
class copies_by_hand {
 public:
  copies_by_hand(device_list const& devices, std::size_t words) : host_(devices.front(), words) {
    std::ranges::fill(host_.span(), 1u);
    for (auto const& device : devices) {
      targets_.emplace_back(device, words);
      streams_.push_back(device->make_stream());
    }
  }
  double seconds() {
    return seconds_of([&] {
      for (std::size_t i = 0; i < targets_.size(); ++i)
        streams_[i]->copy(targets_[i].data(), host_.data(), host_.bytes());
      for (auto const& stream : streams_) stream->synchronize();
    });
  }

 private:
  pinned_buffer<std::uint32_t> host_;
  std::vector<device_buffer<std::uint32_t>> targets_;
  std::vector<std::unique_ptr<stream>> streams_;
};

/// One task on each device, which reads all words and does nothing; the host wrote them just before.
class read_by_jobs {
 public:
  read_by_jobs(device_list const& devices, std::size_t words)
      : devices_(std::uint32_t(devices.size())),
        jobs_(devices, empty_kernels(),
              {.policy = "static", .device_bytes = 2 * words * sizeof(std::uint32_t)}),
        array_(jobs_, {words}) {}

  double seconds() {
    std::ranges::fill(array_.write(), 2u);
    completion done;
    auto const seconds = seconds_of([&] {
      done = jobs_.submit({devices_}, reads(array_, all), [](auto) { return empty_block(); });
      done.wait();
    });
    moved_ = report_of(done).moved;
    return seconds;
  }
  moved_bytes const& moved() const { return moved_; }

 private:
  std::uint32_t devices_;
  job_scheduler jobs_;
  shared_array<std::uint32_t> array_;
  moved_bytes moved_;
};

void measure_count(session& now, std::size_t count, std::size_t words) {
  auto const devices = now.first_devices(count);
  auto const x = double(count);
  copies_by_hand by_hand(devices, words);
  now.measure("a copy from the host to each device", x, "s", [&] { return by_hand.seconds(); });
  read_by_jobs jobs(devices, words);
  now.measure("a job that reads the array", x, "s", [&] { return jobs.seconds(); });
  auto const bytes = words * sizeof(std::uint32_t);
  now.verify(jobs.moved().all() == count * bytes, "every device was brought the array once");
  auto const of_count = " on " + std::to_string(count);
  now.derived("bytes from the host" + of_count, double(jobs.moved().from_host));
  now.derived("times the array's bytes from the host" + of_count,
              double(jobs.moved().from_host) / double(bytes));
  now.derived("time over that of copies from the host" + of_count,
              now.median_of("a job that reads the array", x) /
                  now.median_of("a copy from the host to each device", x));
}

}  // namespace

/// Not from a paper. Measures data that all tasks read, which should leave the host once if devices have
/// direct links.
void measure_job_shared_read(session& now) {
  now.axes("An array that every device reads", "devices", "seconds");
  now.repeat(now.quick() ? 1 : 3, now.quick() ? 2 : 11);
  auto const words =
      now.size(now.first()->is_cuda() ? std::size_t(1) << 28 : std::size_t(1) << 24, 1'000'000);
  now.parameter("bytes", words * sizeof(std::uint32_t));
  for (auto const count : now.device_counts()) measure_count(now, count, words);
}

}  // namespace ballast::bench
