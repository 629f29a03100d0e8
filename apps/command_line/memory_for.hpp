// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::command_line {

/// What `work` returns. Where the system gives it no more memory, throws ballast::error: "no memory for " and
/// what `wanted` says, which is asked once the work has given back what it had.
template <class Wanted, class Work>
auto with_memory_for(Wanted const& wanted, Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (std::bad_alloc const&) { throw error("no memory for " + std::string(wanted())); }
}

}  // namespace ballast::command_line
