// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ballast {

/// What gnuplot, found in PATH, writes on its standard output when it reads the script; it reads no settings
/// of the user's. Throws ballast::error if there is none, or with what it complained of.
std::string output_of_gnuplot(std::string const& script);

}  // namespace ballast
