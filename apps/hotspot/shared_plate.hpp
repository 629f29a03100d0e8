// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "plate.hpp"
#include "reference.hpp"

namespace ballast::hotspot {

/// A plate as shared arrays, and a time step as a job. One thread at a time. Real is float or double.
template <class Real>
class shared_plate {
 public:
  static constexpr std::size_t arrays = 3;  ///< of as many elements as the plate has cells

  /// `of` has heat_kernels() and outlives this.
  shared_plate(job_scheduler& of, plate const& cells, step_factors const& factors);

  /// Writes temperature and power on the host, after the jobs that use them. Each has the plate's cells.
  void fill(std::span<Real const> temperature, std::span<Real const> power);
  /// Writes the temperature as fill() does and leaves the power as it is; the next job brings both to the
  /// devices again.
  void begin_anew(std::span<Real const> temperature);
  /// Each unit of the job is a band of 8 rows, which reads a row more on either side. Waits for no device.
  completion step();
  /// Submits so many steps, a few hundred ahead of the devices at most, fewer once `stop_requested` says so,
  /// and waits for the last. Returns how many.
  std::uint32_t run(
      std::uint32_t steps, std::function<bool()> const& stop_requested = [] { return false; });

  /// As run() and as one job, which all devices share: for steps so short that planning each takes longer.
  void run_at_once(std::uint32_t steps);

  /// On the host, of several ranks of the first, after the steps so far. Right until the next.
  std::span<Real const> temperature() const { return now_.read_on(0); }
  /// As it was before the last step. Right until the next.
  std::span<Real const> temperature_before() const { return next_.read_on(0); }
  std::span<Real const> power() const { return power_.read(); }

 private:
  template <class Take>
  auto give_step(shared_array<Real, 2>& now, shared_array<Real, 2>& next, Take take);

  job_scheduler& jobs_;
  plate of_;
  step_factors factors_;
  shared_array<Real, 2> now_, next_, power_;
  std::optional<job_sequence> there_and_back_;  ///< from now_ and to it; made anew after an odd step
};

}  // namespace ballast::hotspot
