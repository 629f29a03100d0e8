// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace ballast_mutation {

constexpr int max_mutants = 10000;

/// The one mutant that is on in this process: BALLAST_MUTANT, or 0 for none.
inline int const chosen = [] {
  char const* const id = std::getenv("BALLAST_MUTANT");
  return id == nullptr ? 0 : std::atoi(id);
}();

/// Which mutants the process came by; written at its end, one number a line, to the file
/// BALLAST_MUTANTS_REACHED.
struct reached_mutants {
  std::array<std::atomic<bool>, max_mutants> is_reached{};

  ~reached_mutants() {
    char const* const name = std::getenv("BALLAST_MUTANTS_REACHED");
    std::FILE* const file = name == nullptr ? nullptr : std::fopen(name, "a");
    if (file == nullptr) return;
    for (int id = 0; id < max_mutants; ++id)
      if (is_reached[std::size_t(id)]) std::fprintf(file, "%d\n", id);
    std::fclose(file);
  }
};

inline reached_mutants reached;

/// Whether a planted error shows now. Never in constant expressions, whose values are in the machine code
/// already.
constexpr bool is_on(int id) {
  if (std::is_constant_evaluated()) return false;
  if (chosen == id) return true;
  if (chosen == 0) reached.is_reached[std::size_t(id)].store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace ballast_mutation
