// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "prepared_stage.hpp"
#include "runner.hpp"

namespace ballast::md {

/// TQ: kernels that stay on the devices over all steps and take tasks from one backlog.
class queue_runner final : public runner {
 public:
  /// Starts a resident kernel on every device. `trace`: whether record_into()
  /// will be used.
  queue_runner(device_list const& devices, stage const& system, granularity const& cut, bool trace);

  force_timing forces(std::int64_t step) override;
  std::uint32_t pieces() const override {
    return static_cast<std::uint32_t>(tasks_.forces->records().size());
  }
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

  backlog_ticket submit_tasks(std::shared_ptr<prepared_tasks const> const& tasks, char const* label);
  void ensure_started();
  void record_device(std::size_t device);

  balanced_queue queue_;
  prepared_stage tasks_;
  bool started_ = true;
  recorder* spans_ = nullptr;
  std::int64_t step_ = 0;
  std::vector<window> windows_;
};

}  // namespace ballast::md
