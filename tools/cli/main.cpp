// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "command_line/program.hpp"
#include "compare_command.hpp"
#include "devices_command.hpp"
#include "paper_command.hpp"
#include "plot_command.hpp"
#include "programs.hpp"
#include "report_command.hpp"

namespace {

void describe(CLI::App& app) {
  app.footer([] {
    return ballast::cli::list_programs(ballast::cli::own_folder()) +
           "\nExit codes: 0 done, 1 failed while running, 2 wrong usage, 3 compare: worse, 130 stopped by "
           "Ctrl-C.\nThe first Ctrl-C lets a run end cleanly, the second kills it.";
  });
  ballast::cli::add_devices_command(app);
  ballast::cli::add_plot_command(app);
  ballast::cli::add_compare_command(app);
  ballast::cli::add_report_command(app);
  ballast::cli::add_paper_command(app);
}

/// Whether the first word names a command that is not this program's own.
bool is_for_another(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return false;
  CLI::App own;
  describe(own);
  auto const is_it = [&](CLI::App const* command) { return command->get_name() == argv[1]; };
  return std::ranges::none_of(own.get_subcommands({}), is_it);
}

/// The words are not for CLI11: the other program parses them.
void exec_other_program(char** argv) { ballast::cli::exec_program(ballast::cli::own_folder(), argv); }

}  // namespace

int main(int argc, char** argv) {
  return ballast::command_line::run_program(
      {.name = "",
       .describe = &describe,
       .instead = is_for_another(argc, argv) ? &exec_other_program : nullptr},
      argc, argv);
}
