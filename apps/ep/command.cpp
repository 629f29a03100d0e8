// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "job_run/request.hpp"
#include "run.hpp"

namespace ballast::ep {
namespace {

struct command_request {
  std::string of = "S";
  job_run::request how;
};

std::string as_json(problem_class const& of, finished_run const& done) {
  json_value::object members{{"class", std::string_view(&of.name, 1)},
                             {"sx", done.found.sx},
                             {"sy", done.found.sy},
                             {"pairs", done.found.pairs()},
                             {"counts", json_value::list_of(done.found.counts)}};
  for (auto& member : job_run::members_of(done.summary)) members.push_back(std::move(member));
  return json_value(std::move(members)).text(2) + "\n";
}

std::string as_text(problem_class const& of, finished_run const& done) {
  std::string text = std::string("ep, class ") + of.name + ": 2^" + std::to_string(of.log2_pairs) +
                     " pairs, accepted " + std::to_string(done.found.pairs()) + "\nsums " +
                     seventeen_digits(done.found.sx) + ", " + seventeen_digits(done.found.sy) + "\ncounts";
  for (auto const count : done.found.counts) text += " " + std::to_string(count);
  return text + "\n" + job_run::text_of(done.summary);
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  auto const& of = class_named(typed.of);
  auto const draw = [&](device_list const& devices, job_options const& options) {
    return run(devices, {of, options, typed.how.repeat}, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, draw);
  std::cout << (typed.how.json ? as_json(of, done) : as_text(of, done));
  job_run::expect_right(done.summary);
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const ep = app.add_subcommand(
      "ep",
      "Pairs of normal deviates (NAS Parallel Benchmarks) as one job, cut into tasks for several devices");
  ep->option_defaults()->always_capture_default();
  ep->add_option("--class", asked->of, "S, W, A, B, C, D or E: 2^24 to 2^40 pairs")->type_name("NAME");
  job_run::add_options(*ep, asked->how);
  ep->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::ep
