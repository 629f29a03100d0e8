// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/help.hpp"
#include "command_line/program.hpp"
#include "compare_command.hpp"
#include "completion_command.hpp"
#include "devices_command.hpp"
#include "paper_command.hpp"
#include "plot_command.hpp"
#include "programs.hpp"
#include "report_command.hpp"
#include "top_command.hpp"
#include "trace_command.hpp"

namespace {

void describe(CLI::App& app) {
  app.footer([] { return ballast::cli::list_programs(ballast::cli::own_folder()); });
  ballast::cli::add_devices_command(app);
  ballast::cli::add_plot_command(app);
  ballast::cli::add_compare_command(app);
  ballast::cli::add_report_command(app);
  ballast::cli::add_trace_command(app);
  ballast::cli::add_top_command(app);
  ballast::cli::add_paper_command(app);
  ballast::cli::add_completion_command(app);
  ballast::command_line::add_examples(
      app,
      {"ballast devices", "ballast md --atoms 4096 --steps 10", "ballast bench queue/throughput --quick"},
      "Exit codes: 0 done, 1 failed while running, 2 wrong usage, 3 compare: worse, 130 stopped by "
      "Ctrl-C.\nThe first Ctrl-C lets a run end cleanly, the second kills it.");
}

std::vector<std::string> own_commands() {
  CLI::App own;
  describe(own);
  std::vector<std::string> names;
  for (auto const* const command : own.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// True if the first word names a command that is not this program's own.
bool is_for_another(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return false;
  auto const own = own_commands();
  return std::ranges::find(own, argv[1]) == own.end();
}

/// Becomes the other program, which parses the words itself: CLI11 does not see them here.
void exec_other_program(char** argv) {
  ballast::cli::exec_program(ballast::cli::own_folder(), argv, own_commands());
}

}  // namespace

int main(int argc, char** argv) {
  return ballast::command_line::run_program(
      {.name = "",
       .describe = &describe,
       .instead = is_for_another(argc, argv) ? &exec_other_program : nullptr},
      argc, argv);
}
