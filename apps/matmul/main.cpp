// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"
#include "matmul/command.hpp"

int main(int argc, char** argv) {
  auto const describe = [](CLI::App& app) {
    ballast::matmul::add_command(app, &ballast::command_line::was_interrupted);
  };
  return ballast::command_line::run_program({"matmul", describe}, argc, argv);
}
