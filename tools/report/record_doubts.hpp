// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// What a reader must know before he believes a comparison of `a` and `b`, one clause each: "machine: X in A,
/// Y in B", "the answer of B was not verified (...)". Empty: like was compared with like.
std::vector<std::string> doubts_of(run_record const& a, run_record const& b);

}  // namespace ballast
