// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "harness/session.hpp"
#include "matmul/shared_product.hpp"

namespace ballast::bench {

/// A program whose runs are timed, with all that it needs: memory is taken when it is made. What run() does,
/// and so what is timed, is the same in whichever way a program is computed. One thread.
class job_program {
 public:
  virtual ~job_program() = default;
  /// Has the inputs in the host's memory, which GPUs can copy from, and nothing of them on a device, so that
  /// each run has to move them. What a run leaves as it was is written only once.
  virtual void prepare() = 0;
  /// Copies the inputs to devices, computes, and copies the results back, until they are on the host, where
  /// ep adds its sums up.
  virtual void run() = 0;
  /// Whether those of the last run are right.
  virtual bool is_right() = 0;
  /// What must have the same bits in whichever way the last run computed. Right until the next.
  virtual std::span<std::byte const> result() = 0;
  /// What has been moved so far; nothing if that is not counted.
  virtual moved_bytes moved() const { return {}; }
};

/// One of the programs of Ohno et al. 2016, in one size.
struct program_kind {
  std::string name, size;
  std::uint64_t bytes = 0;  ///< of all its arrays
  std::uint32_t units = 0;  ///< of each of its jobs
  std::string check;        ///< of is_right(), for the record
  std::string compared;     ///< "elements": what result() holds
  /// With a scheduler of its own.
  std::function<std::unique_ptr<job_program>(device_list const&, job_options const&)> as_jobs;
  /// The same as one job_sequence; null for programs of few jobs.
  std::function<std::unique_ptr<job_program>(device_list const&, job_options const&)> as_sequence = {};
  /// The same kernel, launched whole, between copies of whole arrays in one stream.
  std::function<std::unique_ptr<job_program>(std::shared_ptr<compute_device> const&)> by_hand;
  /// A CUDA program without ballast, on a whole GPU; null where CUDA was not built.
  std::function<std::unique_ptr<job_program>(int gpu)> plain;
};

program_kind matmul_program(std::uint32_t size, matmul::product_kernel with = matmul::product_kernel::naive);
program_kind ep_program(std::string const& class_name);
program_kind hotspot_program(std::uint32_t size, std::uint32_t steps);

enum class program_name : std::uint8_t { matmul, ep, hotspot };

/// As the paper ran it; smaller on CPU cores and in a quick run. Notes the size.
program_kind job_program_of(session& now, program_name name);
/// All three as the paper ran them.
std::vector<program_kind> job_programs(session& now);
/// The product once more with the tuned kernel, in the size of the naive one's.
program_kind tiled_matmul(session& now);

}  // namespace ballast::bench
