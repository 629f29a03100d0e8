// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ballast::mesicc {

/// What is wrong with a program, a line each: "3:7+4 error: message", of its place and how much is
/// underlined; notes are indented. Empty if nothing is.
std::string complaints_about(std::string const& code);

/// The launches of a program as lines, or what is wrong with it.
std::string launches_in(std::string const& code);

/// Only what the launches read and write: "write c[lThreadId.y][lThreadId.x] if 0 < lThreadId.y in k".
std::string accesses_in(std::string const& code);

}  // namespace ballast::mesicc
