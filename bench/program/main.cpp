// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"
#include "md/comparison.hpp"
#include "program/bench_command.hpp"

int main(int argc, char** argv) {
  return ballast::command_line::run_program(
      {"bench", &ballast::bench::add_bench_command, &ballast::md::request_stop}, argc, argv);
}
