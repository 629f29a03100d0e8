// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "ballast/queue/balanced_queue.hpp"
#include "runner.hpp"

namespace ballast::md {

/// TQ: kernels that stay on the devices over all steps and take tasks from one backlog.
class queue_runner final : public runner {
 public:
  /// Starts a resident kernel on every device. `trace`: whether record_into() will be used.
  queue_runner(device_list const& devices, stage const& system, bool trace);

  force_timing forces(std::int64_t step) override;
  void drift() override;
  void kick() override;
  /// Ends the resident kernels and records the spans of their tasks.
  void leave() override;
  void record_into(recorder* spans) override { spans_ = spans; }

 private:
  /// What ran from one moment to another: names the spans of the tasks in between.
  struct window {
    std::int64_t begin_ns, step;
    char const* label;
  };

  void carry_out(std::span<task const> tasks, char const* label);
  std::int64_t busy_ns(std::size_t device) const;
  void forget_batches();
  void ensure_started();
  void record_device(std::size_t device);

  std::vector<task> forces_, drifts_, kicks_;
  balanced_queue queue_;
  std::vector<backlog_ticket> batches_;  ///< of the present evaluation or motion
  bool started_ = true;
  recorder* spans_ = nullptr;
  std::int64_t step_ = 0;
  std::vector<window> windows_;
};

}  // namespace ballast::md
