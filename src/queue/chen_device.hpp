// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backlog.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "chen_memory.hpp"
#include "chen_steps.hpp"

namespace ballast::detail {

/// One device of a chen_queue and its control thread, which in every time step launches the kernel, refills
/// the device's queues from the pool as they become empty, sends the HALTs and waits for the kernel's end.
class chen_device {
 public:
  chen_device(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
              chen_options const& options, std::size_t index, backlog& pool, chen_steps& steps);

  void start();  ///< the control thread
  void join();   ///< after chen_steps::leave() or fail()
  void request_stop() noexcept { kernel_.request_stop(); }
  /// After a stop and join(): waits for the kernel's end and gives the pool back what was not executed.
  void collect();
  /// Whether the kernel was not joined: the memory must stay.
  bool claimed() const { return kernel_.claimed(); }
  device_share last_step() const;
  std::string describe();

 private:
  /// What one enqueue put into a queue.
  struct refill {
    std::vector<backlog_piece> pieces;
    bool complete = true;  ///< else no block runs any of it
  };

  void run();
  void run_step();
  void launch();
  void feed();
  bool refill_next();
  std::vector<backlog_piece> take_from_pool();
  void write_tasks(std::uint32_t queue, std::vector<backlog_piece> pieces);
  void send_halts();
  void await_end();
  void record_step();

  bool all_empty() const;
  std::uint32_t turn();
  void throw_if_stopped(std::uint32_t looks);
  void back_off(std::uint32_t looks) const;
  void sleep_idle(std::uint64_t epoch, std::uint32_t looks);
  void abandon_kernel() noexcept;
  bool try_join();
  void give_back(std::uint32_t queue, bool sound);
  void record_given(backlog_piece const& piece);

  std::shared_ptr<compute_device> device_;
  compiled_kernels const* kernels_;
  chen_options const* options_;
  std::size_t index_;
  backlog* pool_;
  chen_steps* steps_;
  resident_kernel kernel_;
  chen_memory memory_;
  std::vector<refill> refills_;            ///< the last one of each queue
  std::vector<task_record> staged_tasks_;  ///< of one refill
  std::vector<task_record> halts_;
  std::vector<backlog_piece> given_;  ///< in this step; count alone matters
  std::uint32_t next_ = 0;            ///< i of Algorithm 2
  std::uint64_t step_ = 0;            ///< the last one that this device finished
  bool used_ = false;                 ///< in a step that was not booked: collect() has something to do
  clock::time_point idle_since_;
  mutable std::mutex share_mutex_;
  device_share share_;
  std::thread thread_;
};

}  // namespace ballast::detail
