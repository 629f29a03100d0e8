// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ballast::md {

/// Threads that sleep until there is work for all of them. One thread at a time calls run().
class control_threads {
 public:
  explicit control_threads(std::size_t count);  ///< Throws error if not all can be started.
  ~control_threads();
  control_threads(control_threads const&) = delete;
  control_threads& operator=(control_threads const&) = delete;

  /// Calls job(i) on thread i and returns when all have finished; throws the first exception of a job.
  void run(std::function<void(std::size_t)> const& job);

 private:
  void serve(std::size_t index);
  void do_job(std::size_t index);

  std::mutex mutex_;
  std::condition_variable begun_, done_;
  std::function<void(std::size_t)> const* job_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t working_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace ballast::md
