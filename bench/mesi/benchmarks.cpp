// SPDX-License-Identifier: Apache-2.0
#include "mesi/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> mesi_benchmarks() {
#if BALLAST_BENCH_MESI
  return {{"mesi/programs",
           "the paper's programs, translated by mesicc, beside the same programs written by hand as jobs",
           &measure_mesi_programs}};
#else
  return {};
#endif
}

}  // namespace ballast::bench
