// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ballast::mesicc {

/// Where clang finds the prelude; no such folder exists on disk.
inline constexpr char prelude_path[] = "/mesi/prelude.h";

/// What the dialect adds to C++, as declarations in CUDA as clang reads it without CUDA's own headers. It is
/// included before the first line of a program.
std::string_view prelude_text();

}  // namespace ballast::mesicc
