// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comparison.hpp"

namespace ballast::md {

/// What the names of the solutions that ran mean, a line each.
std::string legend_of(comparison const& result);

/// Two sentences, without a newline: for which part of the time S1 left its most idle device without work,
/// and TQ's time over S1's. If only one of the two ran they say so; if neither did, it is empty.
std::string gain_of(comparison const& result);

}  // namespace ballast::md
