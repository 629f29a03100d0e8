// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "ballast/device.hpp"
#include "worker_ledger.cuh"

namespace ballast::test {

/// A ledger on a device, which the host reads when all tasks have run.
class worker_counts {
 public:
  /// With a page for each of so many workers.
  worker_counts(std::shared_ptr<compute_device> on, std::uint32_t workers)
      : stream_(on->make_stream()), pages_(on, workers), facts_(on, 1) {
    worker_facts const none{workers, 0, 0, std::numeric_limits<std::uint32_t>::max(), 0};
    stream_->fill(pages_.data(), 0, pages_.bytes());
    stream_->copy(facts_.data(), &none, sizeof none);
    stream_->synchronize();
  }

  worker_ledger ledger() const {
    return {array_ref<worker_page>(pages_.data()), array_ref<worker_facts>(facts_.data())};
  }
  /// The tasks that each worker ran.
  std::vector<std::uint64_t> by_worker() const {
    std::vector<worker_page> pages(pages_.size());
    stream_->copy(pages.data(), pages_.data(), pages_.bytes());
    stream_->synchronize();
    std::vector<std::uint64_t> tasks;
    for (auto const& page : pages) tasks.push_back(page.tasks);
    return tasks;
  }
  worker_facts facts() const {
    worker_facts read{};
    stream_->copy(&read, facts_.data(), sizeof read);
    stream_->synchronize();
    return read;
  }

  /// So many tasks have run, each on a worker that ran no other meanwhile; they know their workers by index.
  void expect_entered(std::uint64_t tasks) const {
    auto const found = facts();
    EXPECT_EQ(found.strays, 0u);
    EXPECT_EQ(found.conflicts, 0u);
    auto const each = by_worker();
    EXPECT_EQ(std::accumulate(each.begin(), each.end(), std::uint64_t(0)), tasks);
  }
  /// All of them were told this number of workers.
  void expect_told(std::uint32_t workers) const {
    EXPECT_EQ(facts().min_workers, workers);
    EXPECT_EQ(facts().max_workers, workers);
  }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<worker_page> pages_;
  device_buffer<worker_facts> facts_;
};

}  // namespace ballast::test
