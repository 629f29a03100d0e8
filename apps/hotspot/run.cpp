// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ballast/base/argument_text.hpp"
#include "ballast/base/error.hpp"
#include "ballast/base/replace_file.hpp"
#include "check.hpp"
#include "inputs.hpp"
#include "kernels.hpp"
#include "number_file.hpp"
#include "picture.hpp"
#include "shared_plate.hpp"

namespace ballast::hotspot {
namespace {

template <class Real>
struct starting_cells {
  explicit starting_cells(plan const& asked) : temperature(asked.of.cells()), power(asked.of.cells()) {
    fill_temperature<Real>(asked.of, temperature);
    fill_power<Real>(asked.of, power);
    if (!asked.files.temperature.empty()) read_over(temperature, asked.files.temperature);
    if (!asked.files.power.empty()) read_over(power, asked.files.power);
  }
  static void read_over(std::vector<Real>& cells, std::string const& path) {
    std::ranges::transform(read_numbers(path, cells.size()), cells.begin(),
                           [](double number) { return static_cast<Real>(number); });
  }

  std::vector<Real> temperature, power;
};

template <class Real>
job_run::verdict checked(plan const& asked, starting_cells<Real> const& start,
                         shared_plate<Real> const& end) {
  auto const factors = factors_of(asked.of, asked.chip);
  auto const cells = checked_cells(end.temperature());
  if (asked.of.cells() * asked.steps <= most_checked_cells)
    return {
        is_heated<Real>({asked.of, factors, start.temperature, start.power}, asked.steps, end.temperature()),
        cells + " after all steps against the sequential program, bit by bit"};
  return {is_heated<Real>({asked.of, factors, end.temperature_before(), end.power()}, 1, end.temperature()),
          cells + " of the last step against the sequential program, bit by bit"};
}

void require_writable(run_files const& files) {
  for (auto const& path : {files.output, files.picture})
    if (!path.empty()) require_replaceable(path);
}

template <class Real>
void write_files(plan const& asked, std::span<Real const> temperature) {
  if (!asked.files.output.empty()) write_numbers(asked.files.output, temperature);
  if (!asked.files.picture.empty()) write_picture(asked.files.picture, asked.of, temperature);
}

[[noreturn]] void refuse_part_of_a_run(std::uint32_t made, std::uint32_t steps) {
  throw error("stopped after " + std::to_string(made) + " of " + std::to_string(steps) + " steps");
}

template <class Real>
finished_run run_in(device_list const& devices, plan const& asked,
                    std::function<bool()> const& stop_requested) {
  starting_cells<Real> const start(asked);
  auto options = asked.options;
  options.array_bytes = shared_plate<Real>::arrays * asked.of.cells() * sizeof(Real);
  job_scheduler jobs(devices, heat_kernels(), options);
  shared_plate<Real> plate(jobs, asked.of, factors_of(asked.of, asked.chip));
  auto const fill = [&] { plate.fill(start.temperature, start.power); };
  auto const simulate = [&] {
    auto const made = plate.run(asked.steps, stop_requested);
    if (made < asked.steps) refuse_part_of_a_run(made, asked.steps);
    plate.temperature();
  };
  auto runs = job_run::repeated(jobs, asked.repeat, {fill, simulate}, stop_requested);
  auto found = checked(asked, start, plate);
  if (found.is_right) write_files(asked, plate.temperature());
  auto const end = summary_of(asked.of, plate.temperature());
  return {end, job_run::summary_of(devices, asked.options, std::move(runs), std::move(found))};
}

}  // namespace

precision precision_named(std::string_view name) {
  constexpr std::string_view names[] = {"single", "double"};
  return static_cast<precision>(place_among(names, "precision", name));
}

finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested) {
  require_writable(asked.files);
  return asked.in == precision::float32 ? run_in<float>(devices, asked, stop_requested)
                                        : run_in<double>(devices, asked, stop_requested);
}

}  // namespace ballast::hotspot
