// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballast/device/compute_device.hpp"
#include "ballast/job/job_options.hpp"
#include "ballast/job/job_report.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// A program whose runs are timed, with all that it needs. One thread.
class job_program {
 public:
  virtual ~job_program() = default;
  /// Writes the inputs anew, so that each run has to move them.
  virtual void prepare() = 0;
  /// Computes, until the results are on the host.
  virtual void run() = 0;
  /// Whether those of the last run are right.
  virtual bool is_right() = 0;
  /// What has been moved so far; nothing if that is not counted.
  virtual moved_bytes moved() const { return {}; }
};

/// One of the programs of Ohno et al. 2016, in one size.
struct program_kind {
  std::string name, size;
  std::uint64_t bytes = 0;  ///< of all its arrays
  std::string check;        ///< of is_right(), for the record
  /// With a scheduler of its own.
  std::function<std::unique_ptr<job_program>(device_list const&, job_options const&)> as_jobs;
  /// The same kernel, launched whole, between copies of whole arrays in one stream.
  std::function<std::unique_ptr<job_program>(std::shared_ptr<compute_device> const&)> by_hand;
};

program_kind matmul_program(std::uint32_t size);
program_kind ep_program(std::string const& class_name);
program_kind hotspot_program(std::uint32_t size, std::uint32_t steps);

/// All three as the paper ran them; smaller on CPU cores and in a quick run. Notes the sizes.
std::vector<program_kind> job_programs(session& now);
/// The same with fewer pairs and steps, for sweeps.
std::vector<program_kind> shorter_job_programs(session& now);

}  // namespace ballast::bench
