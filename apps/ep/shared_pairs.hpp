// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "class.hpp"

namespace ballast::ep {

/// The results of all blocks of batches as shared arrays, and the benchmark as a job. One thread at a time.
class shared_pairs {
 public:
  /// `of` must have pair_kernels() and outlive this. `log2_pairs`: 0 to max_log2_pairs.
  shared_pairs(job_scheduler& of, std::uint32_t log2_pairs);

  /// The bytes of all arrays of an object.
  static std::uint64_t bytes_of(std::uint32_t log2_pairs);
  /// Submits the job, each unit of which is a block of batches. Does not wait for a device.
  completion submit();
  /// The sum over all blocks in their order, which is the same for every partition. Waits for the job.
  tally read() const;

 private:
  std::uint32_t blocks() const;

  job_scheduler& jobs_;
  batches cut_;
  shared_array<double> sx_, sy_;
  shared_array<std::uint32_t> counts_;
};

}  // namespace ballast::ep
