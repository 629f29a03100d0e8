// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ballast::detail {

/// The numbers of multiprocessors, of 1 to `all`, that a part of a GPU can have: those of which `given` makes
/// no other number. A driver rounds up what it is asked for, without a word.
std::vector<int> sm_counts(int all, std::function<int(int asked)> const& given);

/// For a message: "8 to 128 in steps of 8", "8, 16, 40", "none".
std::string description(std::span<int const> ascending_counts);

}  // namespace ballast::detail
