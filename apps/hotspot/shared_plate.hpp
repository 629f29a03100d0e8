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
  static constexpr std::size_t arrays = 3;  ///< each with an element for every cell of the plate

  /// `of` must have heat_kernels() and outlive this.
  shared_plate(job_scheduler& of, plate const& cells, step_factors const& factors);

  /// Waits for the jobs that use the arrays, then writes temperature and power on the host. Both spans have a
  /// value for each cell of the plate.
  void fill(std::span<Real const> temperature, std::span<Real const> power);
  /// Writes the temperature as fill() does and leaves the power unchanged; the next job copies both to the
  /// devices again.
  void begin_anew(std::span<Real const> temperature);
  /// Submits a step as a job. Each unit of the job is a band of 8 rows, which reads one row more on either
  /// side. Does not wait for a device.
  completion step();
  /// Submits this many steps, at most a few hundred ahead of the devices, fewer once `stop_requested` returns
  /// true, and waits for the last. Returns the number of steps that it submitted.
  std::uint32_t run(
      std::uint32_t steps, std::function<bool()> const& stop_requested = [] { return false; });

  /// Like run(), but as one job_sequence: for steps that are shorter than their planning.
  void run_at_once(std::uint32_t steps);

  /// The temperature on the host (of the first rank, if there are several), after the steps so far. Valid
  /// until the next step.
  std::span<Real const> temperature() const { return now_.read_on(0); }
  /// The temperature before the last step. Valid until the next step.
  std::span<Real const> temperature_before() const { return next_.read_on(0); }
  std::span<Real const> power() const { return power_.read(); }

 private:
  template <class Take>
  auto give_step(shared_array<Real, 2>& now, shared_array<Real, 2>& next, Take take);

  job_scheduler& jobs_;
  plate of_;
  step_factors factors_;
  shared_array<Real, 2> now_, next_, power_;
  std::optional<job_sequence> there_and_back_;  ///< two steps, from now_ and back to it; rebuilt after an odd
                                                ///< step
};

}  // namespace ballast::hotspot
