// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "emit/translate.hpp"

namespace ballast::mesicc {

struct exit_codes {
  static constexpr int succeeded = 0, failed = 1, wrong_usage = 2;
};

/// `mesicc FILE... [-o OUTPUT] [--explain]`.
struct translate_request {
  std::vector<std::string> files;
  std::string output;  ///< a file, or for several files a folder; empty: next to each file, ending in .cu
  bool explain = false;
  translation_options options;
};

/// `mesicc run FILE... [-- ARGUMENTS]`.
struct run_request {
  std::vector<std::string> files;
  std::vector<std::string> arguments;  ///< of the program
  std::vector<std::string> flags;      ///< of the compiler
  std::string devices;                 ///< BALLAST_DEVICES of the program; empty: unchanged
  std::string keep;                    ///< a folder for generated files; empty: none is kept
  bool show_commands = false;
  translation_options options;
};

/// Return exit codes: a translated program's own is passed on. Complaints about programs go to standard
/// error. Throw ballast::error for files that cannot be read or written, bad_argument for options that do not
/// fit together.
int translate_files(translate_request const& request);
int run_files(run_request const& request);

}  // namespace ballast::mesicc
