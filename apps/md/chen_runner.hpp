// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/methods/chen_queue.hpp"
#include "prepared_stage.hpp"
#include "runner.hpp"

namespace ballast::md {

/// chen: TQ's tasks by the queues of Chen et al. 2010 as published, whose kernels are launched for every
/// step.
class chen_runner final : public runner {
 public:
  chen_runner(device_list const& devices, stage const& system, granularity const& cut);

  force_timing forces(std::int64_t step) override;
  std::uint32_t pieces() const override {
    return static_cast<std::uint32_t>(tasks_.forces->records().size());
  }
  void drift() override { run_tasks(tasks_.drifts, "drift"); }
  void kick() override { run_tasks(tasks_.kicks, "kick"); }
  void record_into(recorder* spans) override { spans_ = spans; }

 private:
  void run_tasks(std::shared_ptr<prepared_tasks const> const& tasks, char const* label);
  void record_last_step(char const* label);

  chen_queue queue_;
  prepared_stage tasks_;
  recorder* spans_ = nullptr;
  std::int64_t step_ = 0;
};

}  // namespace ballast::md
