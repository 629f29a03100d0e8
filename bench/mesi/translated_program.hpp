// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ballast::bench {

/// A program of examples/06_mesi translated by mesicc, in a size that CMakeLists.txt sets: the counterpart of
/// a job_program.
struct translated_program {
  int size;   ///< rows and columns; for ep the logarithm of its pairs
  int steps;  ///< of hotspot
  void (*prepare)();
  void (*run)();
  bool (*is_right)();
  std::vector<std::byte> (*result)();
};

// Each comes from a *.mcu of its own.
translated_program translated_matmul();
translated_program translated_ep();
translated_program translated_hotspot();
translated_program translated_hotspot_of_two_launches();

}  // namespace ballast::bench
