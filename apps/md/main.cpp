// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"
#include "md/command.hpp"
#include "md/comparison.hpp"

int main(int argc, char** argv) {
  return ballast::command_line::run_program({"md", &ballast::md::add_command, &ballast::md::request_stop},
                                            argc, argv);
}
