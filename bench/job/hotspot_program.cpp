// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "hotspot/heat_step.cuh"
#include "hotspot/kernels.hpp"
#include "hotspot/plate.hpp"
#include "hotspot/reference.hpp"
#include "hotspot/shared_plate.hpp"
#include "job/job_program.hpp"
#include "job/launched_whole.hpp"
#include "job/plain_cuda.hpp"

namespace ballast::bench {
namespace {

using namespace hotspot;

struct simulation {
  plate of;
  std::uint32_t steps;
};

class plate_as_jobs final : public job_program {
 public:
  /// `at_once`: the steps of a submission of a sequence; 0: each step is a job.
  plate_as_jobs(device_list const& devices, job_options const& options, simulation const& what,
                std::uint32_t at_once)
      : what_(what),
        at_once_(at_once),
        temperature_(what.of.cells()),
        jobs_(devices, heat_kernels(), options),
        plate_(jobs_, what.of, factors_of(what.of)) {
    fill_temperature<float>(what.of, temperature_);
    std::vector<float> power(what.of.cells());
    fill_power<float>(what.of, power);
    plate_.fill(temperature_, power);
  }

  void prepare() override { plate_.begin_anew(temperature_); }
  void run() override {
    if (at_once_ == 0) plate_.run(what_.steps);
    for (auto left = at_once_ == 0 ? 0 : what_.steps; left != 0; left -= std::min(left, at_once_))
      plate_.run_at_once(std::min(left, at_once_));
    plate_.temperature();
  }
  bool is_right() override {
    return is_heated<float>({what_.of, factors_of(what_.of), plate_.temperature_before(), plate_.power()}, 1,
                            plate_.temperature());
  }
  std::span<std::byte const> result() override { return std::as_bytes(plate_.temperature()); }
  moved_bytes moved() const override { return jobs_.statistics().moved; }

 private:
  simulation what_;
  std::uint32_t at_once_;
  std::vector<float> temperature_;  ///< initial values
  job_scheduler jobs_;
  shared_plate<float> plate_;
};

class plate_by_hand final : public job_program {
 public:
  plate_by_hand(std::shared_ptr<compute_device> const& device, simulation const& what)
      : what_(what),
        temperature_(what.of.cells()),
        stream_(device->make_stream()),
        now_(device, what.of.cells()),
        next_(device, what.of.cells()),
        power_(device, what.of.cells()) {
    fill_temperature<float>(what.of, temperature_);
    fill_power<float>(what.of, power_.host());
  }

  void prepare() override { std::ranges::copy(temperature_, now_.host().begin()); }
  void run() override {
    now_.copy_in(*stream_);
    power_.copy_in(*stream_);
    for (std::uint32_t step = 0; step < what_.steps; ++step) enqueue_step();
    now_.copy_out(*stream_);
    stream_->synchronize();
  }
  bool is_right() override {
    next_.copy_out(*stream_);
    stream_->synchronize();
    return is_heated<float>({what_.of, factors_of(what_.of), next_.host(), power_.host()}, 1, now_.host());
  }
  std::span<std::byte const> result() override { return std::as_bytes(now_.host()); }

 private:
  void enqueue_step() {
    using kernel = heat_step<float>;
    launch_whole(
        *stream_, heat_kernels(),
        kernel{array_ref<float const>(now_.device()), array_ref<float const>(power_.device()),
               array_ref<float>(next_.device()), what_.of, cell_factors<float>(factors_of(what_.of))},
        kernel::blocks_in_a_row(what_.of) * kernel::units(what_.of));
    std::swap(now_, next_);
  }

  simulation what_;
  std::vector<float> temperature_;  ///< initial values
  std::unique_ptr<stream> stream_;
  copied_array<float> now_, next_, power_;
};

}  // namespace

program_kind hotspot_program(std::uint32_t size, std::uint32_t steps) {
  simulation const what{{size, size}, steps};
  return {.name = "hotspot",
          .size = std::to_string(size) + " squared, " + std::to_string(steps) + " steps",
          .bytes = 3 * sizeof(float) * what.of.cells(),
          .units = heat_step<float>::units(what.of),
          .check = "the last step of hotspot as the sequential program computes it, bit by bit",
          .compared = "temperatures",
          .as_jobs =
              [=](device_list const& devices, job_options const& options) {
                return std::make_unique<plate_as_jobs>(devices, options, what, 0);
              },
          .as_sequence =
              [=](device_list const& devices, job_options const& options, std::uint32_t at_once) {
                return std::make_unique<plate_as_jobs>(devices, options, what, at_once);
              },
          .by_hand =
              [=](std::shared_ptr<compute_device> const& device) {
                return std::make_unique<plate_by_hand>(device, what);
              },
          .plain = [=](int gpu) { return plain_hotspot(gpu, what.of, what.steps); }};
}

}  // namespace ballast::bench
