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

/// A program whose runs are timed, with all its resources: the constructor allocates memory. run(), which is
/// timed, does the same for every way of computing. One thread.
class job_program {
 public:
  virtual ~job_program() = default;
  /// Puts the inputs into host memory from which GPUs can copy, and not on a device, so that each run must
  /// move them. Inputs that a run does not change are written only once.
  virtual void prepare() = 0;
  /// Copies the inputs to devices, computes, and copies the results back to the host (where ep adds up its
  /// sums).
  virtual void run() = 0;
  /// True if the results of the last run are right.
  virtual bool is_right() = 0;
  /// The results that must be bitwise equal for every way of computing. Valid until the next run.
  virtual std::span<std::byte const> result() = 0;
  /// The bytes moved so far; zero if they are not counted.
  virtual moved_bytes moved() const { return {}; }
};

/// One of the programs of Ohno et al. 2016, in one size.
struct program_kind {
  std::string name, size;
  std::uint64_t bytes = 0;  ///< of all its arrays
  std::uint32_t units = 0;  ///< of each of its jobs
  std::string check;        ///< the check in is_right(), for the record
  std::string compared;     ///< "elements": what result() holds
  /// Makes the program with a scheduler of its own.
  std::function<std::unique_ptr<job_program>(device_list const&, job_options const&)> as_jobs;
  /// Makes the program as one job_sequence, each submission of which has so many steps; null for programs of
  /// few jobs.
  std::function<std::unique_ptr<job_program>(device_list const&, job_options const&, std::uint32_t steps)>
      as_sequence = {};
  /// Makes a program that launches the same kernel as a whole, between copies of whole arrays in one stream.
  std::function<std::unique_ptr<job_program>(std::shared_ptr<compute_device> const&)> by_hand;
  /// Makes a CUDA program without ballast, on a whole GPU; null if CUDA was not built.
  std::function<std::unique_ptr<job_program>(int gpu)> plain;
};

program_kind matmul_program(std::uint32_t size, matmul::product_kernel with = matmul::product_kernel::naive);
program_kind ep_program(std::string const& class_name);
program_kind hotspot_program(std::uint32_t size, std::uint32_t steps);

enum class program_name : std::uint8_t { matmul, ep, hotspot };

/// The program as in the paper; smaller on CPU cores and in a quick run. Records the size.
program_kind job_program_of(session& now, program_name name);
/// All three programs as the paper ran them.
std::vector<program_kind> job_programs(session& now);
/// The product once more with the tuned kernel, in the size of the naive one.
program_kind tiled_matmul(session& now);

}  // namespace ballast::bench
