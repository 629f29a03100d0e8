// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "command_line/options.hpp"
#include "job_run/request.hpp"
#include "run.hpp"

namespace ballast::matmul {
namespace {

constexpr std::uint32_t max_rows = 32768;

struct command_request {
  std::uint32_t size = plan{}.shape.rows;
  std::string kernel = "naive";
  job_run::request how;
};

std::string as_json(command_request const& typed, job_run::run_summary const& done) {
  json_value::object members{{"size", typed.size}, {"kernel", typed.kernel}};
  for (auto& member : job_run::members_of(done)) members.push_back(std::move(member));
  return json_value(std::move(members)).text(2) + "\n";
}

std::string as_text(command_request const& typed, job_run::run_summary const& done) {
  auto const size = std::to_string(typed.size);
  return "product of int32 matrices, " + size + " x " + size + ", kernel " + typed.kernel + "\n" +
         job_run::text_of(done);
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  product_shape const shape{typed.size, typed.size, typed.size};
  auto const kernel = product_kernel_named(typed.kernel);
  auto const multiply = [&](device_list const& devices, job_options const& options) {
    return run(devices, {shape, kernel, options, typed.how.repeat}, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, multiply);
  std::cout << (typed.how.json ? as_json(typed, done) : as_text(typed, done));
  job_run::expect_right(done);
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const matmul = app.add_subcommand(
      "matmul", "A product of matrices as one job, cut into tasks for several devices (Ohno et al. 2016)");
  matmul->option_defaults()->always_capture_default();
  command_line::add_integer_option(*matmul, "--size", asked->size, 1u, max_rows, "Rows and columns");
  matmul->add_option("--kernel", asked->kernel, "naive (the paper's) or tiled")->type_name("NAME");
  job_run::add_options(*matmul, asked->how);
  matmul->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::matmul
