// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/files.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "job_run/request.hpp"
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

/// True if only the last step is checked.
bool is_too_long_to_check(plan const& asked) { return asked.of.cells() * asked.steps > max_checked_cells; }

/// The end of a repetition.
template <class Real>
struct last_steps {
  std::span<Real const> temperature;
  std::span<Real const> before;  ///< before the last step; empty unless is_too_long_to_check()
};

template <class Real>
last_steps<Real> steps_of(shared_plate<Real> const& plate, plan const& asked) {
  if (!is_too_long_to_check(asked)) return {plate.temperature(), {}};
  return {plate.temperature(), plate.temperature_before()};
}

/// The repetitions of a plan. Keeps the end of a repetition if another follows, which may be stopped.
template <class Real>
class repetitions {
 public:
  repetitions(plan const& asked, starting_cells<Real> const& start, job_scheduler& jobs)
      : asked_(asked), start_(start), plate_(jobs, asked.of, factors_of(asked.of, asked.chip)) {}

  void prepare() {
    if (made_ > 0) keep(steps_of(plate_, asked_));
    plate_.fill(start_.temperature, start_.power);
  }
  /// Makes the steps. Returns the completion of the last one, which is ready; none if it was stopped between
  /// two steps.
  std::optional<completion> make_steps(std::function<bool()> const& stop_requested) {
    made_ = plate_.run(asked_.steps, stop_requested);
    if (made_ < asked_.steps) return std::nullopt;
    return completion();
  }
  void bring_home() { plate_.temperature(); }
  /// Steps of the last repetition.
  std::uint32_t made() const { return made_; }
  /// The end of the last complete repetition, if there was one.
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

template <class Real>
finished_run run_in(device_list const& devices, plan const& asked,
                    std::function<bool()> const& stop_requested) {
  starting_cells<Real> const start(asked);
  auto options = asked.options;
  options.array_bytes = shared_plate<Real>::arrays * asked.of.cells() * sizeof(Real);
  job_scheduler jobs(devices, heat_kernels(), options);
  repetitions<Real> plates(asked, start, jobs);
  auto runs = job_run::repeated(jobs, asked.repeat,
                                {[&] { plates.prepare(); },
                                 [&] { return plates.make_steps(stop_requested); },
                                 [&] { plates.bring_home(); },
                                 {"hotspot", "steps", asked.steps, &job_statistics::ended}},
                                stop_requested);
  if (plates.made() < asked.steps)
    job_run::tell_of_a_part(fmt::format("stopped after {} of {} steps", plates.made(), asked.steps),
                            runs.size());
  auto const end = plates.end();
  auto const summary_with = [&](job_run::verdict found) {
    return job_run::summary_of(jobs, devices, asked.options, std::move(runs), std::move(found));
  };
  if (jobs.rank() != 0) return {{}, summary_with(job_run::checked_by_the_first_rank)};
  auto found = checked(asked, start, end);
  if (found.is_right) write_files(asked, end.temperature);
  return {summary_of(asked.of, end.temperature), summary_with(std::move(found))};
}

std::string arrays_of(plan const& asked) {
  bool const single = asked.in == precision::float32;
  auto const bytes =
      shared_plate<float>::arrays * asked.of.cells() * (single ? sizeof(float) : sizeof(double));
  return fmt::format("{} arrays of {} x {} {} ({}) and what they begin with and are checked by",
                     shared_plate<float>::arrays, asked.of.rows, asked.of.columns,
                     single ? "floats" : "doubles", byte_size(bytes));
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

namespace {

constexpr std::uint32_t max_rows = 32768, max_steps = 1'000'000'000;

struct command_request {
  std::uint32_t size = plan{}.of.rows, steps = plan{}.steps;
  std::string chip = "scaled", precision = "single";
  run_files files;
  job_run::request how;
};

plan plan_for(command_request const& typed) {
  return {{typed.size, typed.size},
          typed.steps,
          chip_size_named(typed.chip),
          precision_named(typed.precision),
          typed.files,
          {},
          typed.how.repeat};
}

std::string as_json(command_request const& typed, plan const& asked, finished_run const& done) {
  return job_run::json_text({{"size", typed.size},
                             {"steps", typed.steps},
                             {"precision", typed.precision},
                             {"chip", edge_of_chip(asked.of, asked.chip)},
                             {"stable", is_stable(factors_of(asked.of, asked.chip))},
                             {"sum", done.end.sum},
                             {"first", done.end.first},
                             {"middle", done.end.middle},
                             {"last", done.end.last}},
                            done.how);
}

std::string as_text(command_request const& typed, plan const& asked, finished_run const& done) {
  bool const stable = is_stable(factors_of(asked.of, asked.chip));
  return fmt::format(
      "hotspot, {0} x {0} cells, {1} steps, {2} precision, a chip of {3} m{4}\n"
      "sum {5}, first {6}, middle {7}, last {8}\n{9}",
      typed.size, typed.steps, typed.precision, rounded(edge_of_chip(asked.of, asked.chip), 3),
      stable ? "" : ": UNSTABLE, for timing only", rounded(done.end.sum, 12), rounded(done.end.first, 8),
      rounded(done.end.middle, 8), rounded(done.end.last, 8), job_run::text_of(done.how));
}

void check_distinct_outputs(command_request const& typed) {
  std::array<command_line::named_file, 3> const outputs{
      {{"--output", typed.files.output}, {"--picture", typed.files.picture}, {"--trace", typed.how.trace}}};
  std::array<command_line::named_file, 2> const inputs{
      {{"--temperature", typed.files.temperature}, {"--power", typed.files.power}}};
  command_line::check_distinct_outputs(outputs, inputs);
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  check_distinct_outputs(typed);
  auto asked = plan_for(typed);
  auto const simulate = [&](device_list const& devices, job_options const& options) {
    asked.options = options;
    return run(devices, asked, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, simulate);
  job_run::print(done.how, typed.how.json ? as_json(typed, asked, done) : as_text(typed, asked, done));
  job_run::expect_right(done.how);
}

void add_options(CLI::App& hotspot, command_request& asked) {
  command_line::add_integer_option(hotspot, "--size", asked.size, 1u, max_rows, "Rows and columns of cells");
  command_line::add_integer_option(hotspot, "--steps", asked.steps, 1u, max_steps, "Time steps, a job each");
  command_line::takes_one_of(
      hotspot.add_option("--chip", asked.chip,
                         "scaled: larger with more than 1024 cells to a side; rodinia: always 0.016 m"),
      {"scaled", "rodinia"});
  command_line::takes_one_of(hotspot.add_option("--precision", asked.precision, "Of all temperatures"),
                             {"single", "double"});
}

void add_input_options(CLI::App& hotspot, run_files& files) {
  command_line::add_path(
      hotspot, "--temperature", files.temperature, "FILE",
      "Begin with these temperatures: Rodinia's text, a number a line, or what --output wrote");
  command_line::add_path(hotspot, "--power", files.power, "FILE", "Heat cells by these powers, likewise");
}

void add_output_options(CLI::App& hotspot, run_files& files) {
  command_line::add_path(hotspot, "--output", files.output, "FILE",
                         "Write the last temperatures, as Rodinia");
  command_line::add_path(hotspot, "--picture", files.picture, "FILE", "Draw them as a PPM picture");
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const hotspot = app.add_subcommand(
      "hotspot",
      "The temperature of a chip (Rodinia), a job each time step, cut into tasks for several devices");
  hotspot->option_defaults()->always_capture_default();
  command_line::begin_group(*hotspot, command_line::work_group);
  add_options(*hotspot, *asked);
  add_input_options(*hotspot, asked->files);
  job_run::add_options(*hotspot, asked->how);
  add_output_options(*hotspot, asked->files);
  command_line::add_examples(*hotspot, {"ballast hotspot --size 512 --steps 100",
                                        "ballast hotspot --size 1024 --devices host:1,host:1 --json",
                                        "ballast hotspot --size 256 --steps 50 --picture chip.ppm"});
  hotspot->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::hotspot
