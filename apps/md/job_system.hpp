// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "force_field.hpp"
#include "particle_system.hpp"
#include "runner.hpp"

namespace ballast::md {

/// A system in shared arrays, and what moves it: the solution `jobs`. Forces, drift and kick are a job each,
/// whose units are blocks of 128 slots; the scheduler's policy says which device gets which. With
/// job_options::ranks all ranks have the system together. The scheduler records what ran where, if its
/// options say so, all the time.
class job_system : public particle_system, public runner {
 public:
  /// The scheduler's counts so far.
  virtual job_statistics statistics() const = 0;
  virtual std::uint32_t ranks() const = 0;

 protected:
  using particle_system::particle_system;
};

/// Allocates for `count` atoms on every device. `options` decide everything except memory and deadlines.
/// Throws as the constructor of job_scheduler.
std::unique_ptr<job_system> make_job_system(device_list const& devices, physics const& what,
                                            std::size_t count, job_options options);

}  // namespace ballast::md
