// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "ballast/base/error.hpp"
#include "ballast/base/log.hpp"

int main() {
  ballast::set_log_sink([](ballast::log_level, std::string_view line) {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  });
  ballast::write_log(ballast::log_level::info, "built against the installed package");
  try {
    ballast::refuse_argument("blocks", 0LL, "1 or more");
  } catch (ballast::bad_argument const& refused) { return refused.argument() == "blocks" ? 0 : 1; }
  return 1;
}
