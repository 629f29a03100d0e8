// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/program.hpp"
#include "kernels.hpp"
#include "plate.hpp"
#include "plate_files.hpp"
#include "reference.hpp"
#include "report/table.hpp"
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

/// Then only its last step is.
bool is_too_long_to_check(plan const& asked) { return asked.of.cells() * asked.steps > max_checked_cells; }

/// What a repetition ended with.
template <class Real>
struct last_steps {
  std::span<Real const> temperature;
  std::span<Real const> before;  ///< the last step; none unless is_too_long_to_check()
};

template <class Real>
last_steps<Real> steps_of(shared_plate<Real> const& plate, plan const& asked) {
  if (!is_too_long_to_check(asked)) return {plate.temperature(), {}};
  return {plate.temperature(), plate.temperature_before()};
}

/// The repetitions of a plan. Of each that another one follows, which may be stopped, it keeps what it ended
/// with.
template <class Real>
class repetitions {
 public:
  repetitions(plan const& asked, starting_cells<Real> const& start, job_scheduler& jobs)
      : asked_(asked), start_(start), plate_(jobs, asked.of, factors_of(asked.of, asked.chip)) {}

  void prepare() {
    if (made_ > 0) keep(steps_of(plate_, asked_));
    plate_.fill(start_.temperature, start_.power);
  }
  /// False if it is stopped between two steps.
  bool run(std::function<bool()> const& stop_requested) {
    made_ = plate_.run(asked_.steps, stop_requested);
    if (made_ < asked_.steps) return false;
    plate_.temperature();
    return true;
  }
  /// Steps of the last repetition.
  std::uint32_t made() const { return made_; }
  /// Of the last whole repetition, if there was one.
  last_steps<Real> end() const {
    if (made_ < asked_.steps) return {temperature_, before_};
    return steps_of(plate_, asked_);
  }

 private:
  void keep(last_steps<Real> const& last) {
    temperature_.assign(last.temperature.begin(), last.temperature.end());
    before_.assign(last.before.begin(), last.before.end());
  }

  plan const& asked_;
  starting_cells<Real> const& start_;
  shared_plate<Real> plate_;
  std::uint32_t made_ = 0;
  std::vector<Real> temperature_, before_;
};

template <class Real>
job_run::verdict checked(plan const& asked, starting_cells<Real> const& start, last_steps<Real> const& end) {
  auto const factors = factors_of(asked.of, asked.chip);
  auto const cells = checked_cells(end.temperature);
  if (!is_too_long_to_check(asked))
    return {
        is_heated<Real>({asked.of, factors, start.temperature, start.power}, asked.steps, end.temperature),
        cells + " after all steps against the sequential program, bit by bit"};
  return {is_heated<Real>({asked.of, factors, end.before, start.power}, 1, end.temperature),
          cells + " of the last step against the sequential program, bit by bit"};
}

void require_writable(run_files const& files) {
  for (auto const& path : {files.output, files.picture})
    if (!path.empty()) check_replaceable(path);
}

template <class Real>
void write_files(plan const& asked, std::span<Real const> temperature) {
  if (!asked.files.output.empty()) write_numbers(asked.files.output, temperature);
  if (!asked.files.picture.empty()) write_picture(asked.files.picture, asked.of, temperature);
}

/// Throws ballast::error unless a repetition before this one was whole.
void tell_of_a_part(std::uint32_t made, std::uint32_t steps, std::size_t whole) {
  auto const text = "stopped after " + std::to_string(made) + " of " + std::to_string(steps) + " steps";
  if (whole == 0) throw error(text);
  write_log(log_level::warning,
            text + " of repetition " + std::to_string(whole + 1) + "; what is told is of those before");
}

template <class Real>
finished_run run_in(device_list const& devices, plan const& asked,
                    std::function<bool()> const& stop_requested) {
  starting_cells<Real> const start(asked);
  auto options = asked.options;
  options.array_bytes = shared_plate<Real>::arrays * asked.of.cells() * sizeof(Real);
  job_scheduler jobs(devices, heat_kernels(), options);
  repetitions<Real> plates(asked, start, jobs);
  auto runs = job_run::repeated(jobs, asked.repeat,
                                {[&] { plates.prepare(); }, [&] { return plates.run(stop_requested); }},
                                stop_requested);
  if (plates.made() < asked.steps) tell_of_a_part(plates.made(), asked.steps, runs.size());
  auto const end = plates.end();
  auto found = checked(asked, start, end);
  if (found.is_right) write_files(asked, end.temperature);
  return {summary_of(asked.of, end.temperature),
          job_run::summary_of(devices, asked.options, std::move(runs), std::move(found))};
}

std::string arrays_of(plan const& asked) {
  bool const single = asked.in == precision::float32;
  auto const bytes =
      shared_plate<float>::arrays * asked.of.cells() * (single ? sizeof(float) : sizeof(double));
  return std::to_string(shared_plate<float>::arrays) + " arrays of " + std::to_string(asked.of.rows) + " x " +
         std::to_string(asked.of.columns) + (single ? " floats (" : " doubles (") + byte_size(bytes) +
         ") and what they begin with and are checked by";
}

}  // namespace

template <class Real>
summary summary_of(plate const& of, std::span<Real const> temperature) {
  double const sum = std::accumulate(temperature.begin(), temperature.end(), 0.0);
  auto const middle = temperature[std::size_t(of.rows / 2) * of.columns + of.columns / 2];
  return {sum, double(temperature.front()), double(middle), double(temperature.back())};
}

template summary summary_of(plate const&, std::span<float const>);
template summary summary_of(plate const&, std::span<double const>);

precision precision_named(std::string_view name) {
  constexpr std::string_view names[] = {"single", "double"};
  return static_cast<precision>(index_among(names, "precision", name));
}

finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested) {
  require_writable(asked.files);
  auto const simulate = asked.in == precision::float32 ? &run_in<float> : &run_in<double>;
  return command_line::with_memory_for([&] { return arrays_of(asked); },
                                       [&] { return simulate(devices, asked, stop_requested); });
}

}  // namespace ballast::hotspot
