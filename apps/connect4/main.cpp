// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"
#include "connect4/command.hpp"

int main(int argc, char** argv) {
  auto const describe = [](CLI::App& app) {
    ballast::connect4::add_command(app, &ballast::command_line::was_interrupted);
  };
  return ballast::command_line::run_program({"connect4", describe}, argc, argv);
}
