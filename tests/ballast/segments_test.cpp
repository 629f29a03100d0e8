// SPDX-License-Identifier: Apache-2.0
// Segments are counted by every kind of work that has blocks.

#include "ballast/segments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ballast/ballast.hpp"
#include "kernels.hpp"

namespace ballast::test {
namespace {

/// Some empty segments, some short, and one of many shares.
std::vector<std::uint32_t> const ends_of_segments = {0, 3, 3, 50'000, 50'001, 50'001, 53'000, 53'000};

/// Segments on a device, and their counts.
class counted_segments {
 public:
  counted_segments()
      : list_(cut_segments(ends_of_segments, {1000})),
        ends_(device_, ends_of_segments.size()),
        pieces_(device_, list_.size()),
        parts_(device_, list_.size()),
        counters_(device_, ends_.size()),
        counts_(device_, ends_.size()),
        carries_(device_, 100) {
    std::ranges::copy(ends_of_segments, ends_.data());
    std::ranges::copy(list_, pieces_.data());
    std::ranges::fill(counters_.span(), 0u);
  }

  std::shared_ptr<compute_device> const& device() const { return device_; }
  segments<std::uint32_t> of() const {
    auto const items = ends_of_segments.back();
    return {array_ref<std::uint32_t const>(ends_.data()), std::uint32_t(ends_.size()), items,
            array_ref(carries_.data())};
  }
  /// Calls run(kernel, blocks), which waits, for both steps of shares and for pieces, and looks at the
  /// counts.
  template <class Run>
  void expect_counted_by(Run&& run) {
    auto const counts = array_ref(counts_.data());
    run(count_shares{of(), counts}, of().shares());
    run(count_carries{of(), counts}, of().groups());
    expect_counts();
    run(count_pieces{array_ref<piece const>(pieces_.data()), array_ref(parts_.data()),
                     array_ref(counters_.data()), counts},
        std::uint32_t(list_.size()));
    expect_counts();
    EXPECT_EQ(std::ranges::count(counters_.span(), 0u), std::ptrdiff_t(counters_.size()));
  }

 private:
  void expect_counts() {
    for (std::size_t i = 0; i < ends_of_segments.size(); ++i)
      EXPECT_EQ(counts_[i], ends_of_segments[i] - (i == 0 ? 0 : ends_of_segments[i - 1])) << "segment " << i;
    std::ranges::fill(counts_.span(), 9u);
  }

  std::shared_ptr<compute_device> device_ = open_devices().front();
  std::vector<piece> list_;
  pinned_buffer<std::uint32_t> ends_;
  pinned_buffer<piece> pieces_;
  pinned_buffer<std::uint32_t> parts_, counters_, counts_;
  pinned_buffer<segment_carry<std::uint32_t>> carries_;
};

TEST(segments_in, grid_tasks_of_a_queue_are_counted) {
  counted_segments segments;
  queue_options options;
  options.resident.blocks = 2;
  task_queue queue(segments.device(), counting_kernels(), options);
  segments.expect_counted_by([&](auto const& kernel, std::uint32_t blocks) {
    queue.submit(grid_task(task(kernel, {0, blocks}))).wait();
  });
  queue.close();
}

TEST(segments_in, launches_are_counted) {
  counted_segments segments;
  launch_queue queue({segments.device()}, counting_kernels());
  auto stream = queue.make_launch_stream();
  segments.expect_counted_by(
      [&](auto const& kernel, std::uint32_t blocks) { stream.launch(kernel, blocks).wait(); });
}

TEST(segments_in, jobs_of_one_device_are_counted) {
  counted_segments segments;
  job_scheduler jobs({segments.device()}, counting_kernels());
  shared_array<std::uint32_t> array(jobs, {1});
  array.write()[0] = 0;
  segments.expect_counted_by([&](auto const& kernel, std::uint32_t blocks) {
    jobs.submit({blocks}, reads(array, all()), [=](auto) { return kernel; });
    jobs.wait_all();
  });
}

}  // namespace
}  // namespace ballast::test
