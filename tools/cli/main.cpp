// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "ballast/base/error.hpp"
#include "bench_command.hpp"
#include "compare_command.hpp"
#include "connect4/command.hpp"
#include "devices_command.hpp"
#include "ep/command.hpp"
#include "hotspot/command.hpp"
#include "interrupt.hpp"
#include "matmul/command.hpp"
#include "md/command.hpp"
#include "md/interruption.hpp"
#include "nanodroplet/command.hpp"
#include "plot_command.hpp"

namespace {

enum exit_code { succeeded = 0, failed = 1, wrong_usage = 2, worse = 3, interrupted = 130 };

int complain(exit_code code, std::string const& sentence) {
  std::cout.flush();
  std::cerr << "ballast: " << sentence << (code == wrong_usage ? " (see ballast --help)\n" : "\n");
  return code;
}

void describe(CLI::App& app) {
  app.set_version_flag("--version", "ballast " BALLAST_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 failed while running, 2 wrong usage, 3 compare: worse, 130 stopped by Ctrl-C.\n"
      "The first Ctrl-C lets a run end cleanly, the second kills it.");
  ballast::cli::add_devices_command(app);
  ballast::cli::add_bench_command(app);
  ballast::cli::add_plot_command(app);
  ballast::cli::add_compare_command(app);
  ballast::md::add_command(app);
  ballast::connect4::add_command(app, &ballast::cli::was_interrupted);
  ballast::nanodroplet::add_command(app, &ballast::cli::was_interrupted);
  ballast::matmul::add_command(app, &ballast::cli::was_interrupted);
  ballast::ep::add_command(app, &ballast::cli::was_interrupted);
  ballast::hotspot::add_command(app, &ballast::cli::was_interrupted);
}

/// The library names its argument; who typed an option of that name is told of the option.
std::string as_typed(CLI::App const& app, ballast::bad_argument const& problem) {
  for (auto const* const command : app.get_subcommands()) {
    auto const* const option = command->get_option_no_throw("--" + problem.argument());
    if (option != nullptr && option->count() > 0) return std::string("--") + problem.what();
  }
  return problem.what();
}

/// What was printed may not have arrived: a full disk shows only here.
int code_after_output() {
  std::cout.flush();
  bool const written = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!written) return complain(failed, "cannot write to standard output");
  return ballast::cli::was_interrupted() ? interrupted : succeeded;
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) return complain(wrong_usage, "a command is missing");
    return code_after_output();
  } catch (CLI::ParseError const& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
    return complain(wrong_usage, problem.what());
  } catch (ballast::cli::found_worse const& found) {
    int const code = code_after_output();
    return code == succeeded ? complain(worse, found.what()) : code;
  } catch (ballast::bad_argument const& problem) {
    return complain(wrong_usage, as_typed(app, problem));
  } catch (std::exception const& problem) {
    return complain(ballast::cli::was_interrupted() ? interrupted : failed, problem.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  ballast::cli::install_interrupt_handler(&ballast::md::request_stop);
  CLI::App app("ballast keeps GPUs evenly loaded.", "ballast");
  describe(app);
  return parse_and_run(app, argc, argv);
}
