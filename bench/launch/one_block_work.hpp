// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ballast/launch_queue.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// A kernel of one block with separate data for each of several items: on a GPU a plain `__global__`
/// function, on CPU cores a ballast kernel.
class one_block_work {
 public:
  virtual ~one_block_work() = default;

  virtual std::string name() const = 0;
  virtual std::size_t items() const = 0;
  /// Launches as a program without a queue would, in a thread that entered the device. Does not wait.
  virtual void launch(stream& on, std::size_t item) = 0;
  virtual void submit(launch_stream& by, std::size_t item) = 0;
  /// Restores the initial state of all items. Waits; only while nothing runs.
  virtual void reset() = 0;
  /// True if each of the first items has run this many times since reset().
  virtual bool ran(std::span<std::uint32_t const> times) = 0;
  /// A lower bound in seconds for all items, measured by one launch over the whole device; nothing if the
  /// kernels share no limiting resource. Call reset() afterwards.
  virtual std::optional<double> shared_bound(session&) { return {}; }
};

/// Square roots of this many values, in place: the kernel of Wende et al.
std::unique_ptr<one_block_work> make_roots(std::shared_ptr<compute_device> device, std::size_t items,
                                           std::uint32_t numbers);
/// This many dependent multiply-adds, without memory accesses.
std::unique_ptr<one_block_work> make_multiplications(std::shared_ptr<compute_device> device,
                                                     std::size_t items, std::uint32_t steps);

/// Both works, in the paper's size for roots on a GPU, smaller on CPU cores.
std::vector<std::unique_ptr<one_block_work>> both_works(session const& now,
                                                        std::shared_ptr<compute_device> const& device,
                                                        std::size_t items);
/// Describes both works in the record.
void record_works(session& now);

/// Samples of a run in which the first items run this many times each, after a verified run.
std::vector<double> checked_seconds(session& now, one_block_work& work,
                                    std::vector<std::uint32_t> const& times, std::size_t repetitions,
                                    std::function<double()> const& run);

/// Adds serial seconds over each sample, as a point of a curve.
void add_speedups(session& now, std::string const& curve, double x, double serial_seconds,
                  std::vector<double> const& seconds);

}  // namespace ballast::bench
