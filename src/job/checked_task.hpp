// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/job/job_request.hpp"
#include "map_check.hpp"

namespace ballast::detail {

/// A task of CPU cores whose kernel runs twice, on memory of its own instead of the device's, so that what it
/// does beside its access maps shows. Not copied; one thread at a time.
class checked_task {
 public:
  /// `uses` and `arrays`, of each argument: its bytes, and where its element 0 would be on the device. The
  /// request outlives the task.
  checked_task(job_request const& request, std::span<array_use const> uses, std::vector<void*> arrays);

  /// Takes in what the task reads, which is on the device by now.
  void prepare();
  /// For a trial, 0 or 1: of each argument, where its element 0 would be.
  std::vector<void*> arrays(std::size_t trial) const;
  /// After both: the results of the first go to the device. Throws ballast::error, and changes nothing there,
  /// if the kernel did anything beside its maps.
  void conclude();

 private:
  struct aligned_delete {
    void operator()(std::byte* memory) const;
  };
  using trial_memory = std::unique_ptr<std::byte[], aligned_delete>;

  /// Arguments that share memory.
  struct shared_memory {
    std::vector<std::size_t> arguments;
    map_check check;
    std::byte* hull;  ///< on the device
    std::array<trial_memory, trials> memory{};
  };

  static trial_memory allocate(std::size_t bytes);
  std::string message(std::vector<std::size_t> const& arguments, wrong_use const& wrong) const;

  job_request const& request_;
  std::vector<void*> arrays_;
  std::vector<shared_memory> shared_;
};

}  // namespace ballast::detail
