// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "job_run/request.hpp"
#include "kernels.hpp"
#include "report/table.hpp"
#include "shared_pairs.hpp"

namespace ballast::ep {
namespace {

std::string arrays_of(plan const& asked) {
  return fmt::format("the sums and counts of class {} ({})", asked.of.name,
                     byte_size(shared_pairs::bytes_of(asked.of.log2_pairs)));
}

job_run::verdict checked(tally const& found, problem_class const& expected) {
  return {is_right(found, expected), expected.counts
                                         ? "sums to 1e-8 and all counts against the published class"
                                         : "sums to 1e-8 and accepted pairs against the published class"};
}

finished_run run_in_memory(device_list const& devices, plan const& asked,
                           std::function<bool()> const& stop_requested) {
  auto options = asked.options;
  options.array_bytes = shared_pairs::bytes_of(asked.of.log2_pairs);
  options.stop_requested = stop_requested;
  job_scheduler jobs(devices, pair_kernels(), options);
  shared_pairs pairs(jobs, asked.of.log2_pairs);
  tally found;
  auto runs = job_run::repeated(
      jobs, asked.repeat,
      {[] {}, [&] { return pairs.submit(); }, [&] { found = pairs.read(); }, job_run::tasks_of("ep")},
      stop_requested);
  return {found,
          job_run::summary_of(jobs, devices, asked.options, std::move(runs), checked(found, asked.of))};
}

}  // namespace

finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested) {
  return command_line::with_memory_for([&] { return arrays_of(asked); },
                                       [&] { return run_in_memory(devices, asked, stop_requested); });
}

namespace {

struct command_request {
  std::string of = "S";
  job_run::request how;
};

std::string as_json(problem_class const& of, finished_run const& done) {
  return job_run::json_text({{"class", std::string_view(&of.name, 1)},
                             {"sx", done.found.sx},
                             {"sy", done.found.sy},
                             {"pairs", done.found.pairs()},
                             {"counts", json_value::list_of(done.found.counts)}},
                            done.summary);
}

std::string as_text(problem_class const& of, finished_run const& done) {
  return fmt::format("ep, class {}: 2^{} pairs, accepted {}\nsums {}, {}\ncounts {}\n{}", of.name,
                     of.log2_pairs, done.found.pairs(), seventeen_digits(done.found.sx),
                     seventeen_digits(done.found.sy), fmt::join(done.found.counts, " "),
                     job_run::text_of(done.summary));
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  auto const& of = class_named(typed.of);
  auto const draw = [&](device_list const& devices, job_options const& options) {
    return run(devices, {of, options, typed.how.repeat}, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, draw);
  job_run::print(done.summary, typed.how.json ? as_json(of, done) : as_text(of, done));
  job_run::expect_right(done.summary);
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const ep = app.add_subcommand(
      "ep",
      "Pairs of normal deviates (NAS Parallel Benchmarks) as one job, cut into tasks for several devices");
  ep->option_defaults()->always_capture_default();
  command_line::begin_group(*ep, command_line::work_group);
  command_line::takes_one_of(ep->add_option("--class", asked->of, "2^24 (S) to 2^40 (E) pairs"),
                             {"S", "W", "A", "B", "C", "D", "E"});
  job_run::add_options(*ep, asked->how);
  command_line::add_examples(*ep, {"ballast ep", "ballast ep --class W --devices host:1,host:1 --repeat 3"});
  ep->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::ep
