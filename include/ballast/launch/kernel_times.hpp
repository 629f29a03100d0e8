// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ballast/launch/kernel_facts.hpp"

namespace ballast::inline launch {

/// How long one block of each kernel of a family runs on one device, learned from the times of launches, also
/// of such that only ever ran merged. A merged launch's time is one number for many kernels: each kernel
/// moves by its part of the predicted work and by how unsure its time still is (a Kalman filter of the
/// logarithms without covariances, whose doubt grows with the errors that it sees, so that it follows
/// changes; one time that is far off counts little).
///
/// Times are the library's guesses, for the model; nothing is promised of them but that they are positive.
/// Pure but for what it learned: no clock, no device. One thread at a time; nothing is allocated after
/// construction.
class kernel_times {
 public:
  /// Throws bad_argument for what `check` refuses.
  kernel_times(family_facts const& family, launch_costs const& costs);

  /// What kernel_facts::block_ns is to be: at least 1, or 0 as long as nothing is known. Throws bad_argument
  /// ("kernel") from most_kernels_of_family on.
  std::int64_t block_ns(std::uint32_t kernel) const;

  /// A launch of `kernel` alone took `span_ns` from the begin of its first block to the end of its last. Its
  /// block_ns is not looked at. Throws bad_argument for what `check` refuses and ("span_ns") unless that is
  /// at least 1; so does the next.
  void note_alone(kernel_facts const& kernel, std::int64_t span_ns);

  /// A launch of `kernels` as one took `span_ns`, and `predicted_ns` was predicted of it
  /// (predicted_times::merged_busy) for their block_ns as given here; others may have been noted since then.
  /// Kernels of unknown time (block_ns 0) are taken to be all equal, and then nobody else learns anything.
  /// Throws bad_argument ("predicted_ns") unless that is finite and, where all times are known, above 0.
  /// O(kernels).
  void note_merged(std::span<kernel_facts const> kernels, double predicted_ns, std::int64_t span_ns);

 private:
  struct learned {
    double block_ns = 0;
    double doubt = 0;  ///< variance of the time's logarithm
    double part = 0;   ///< of the work of the launch that is learned from; else 0
  };

  void guess(std::span<kernel_facts const> kernels, std::int64_t span_ns);
  double predicted_now(std::span<kernel_facts const> kernels, double predicted_ns);
  double set_parts(std::span<kernel_facts const> kernels);
  void learn(std::span<kernel_facts const> kernels, double error, double variance);

  multiprocessor_count multiprocessors_;
  std::uint32_t merged_blocks_per_multiprocessor_;
  std::vector<learned> kernels_;
};

}  // namespace ballast::inline launch
