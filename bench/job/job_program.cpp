// SPDX-License-Identifier: Apache-2.0
#include "job/job_program.hpp"

namespace ballast::bench {
namespace {

struct program_sizes {
  std::uint32_t matmul;
  char const* ep;
  std::uint32_t hotspot, steps;
};

std::vector<program_kind> programs_of(session& now, program_sizes const& sizes) {
  std::vector<program_kind> all{matmul_program(sizes.matmul), ep_program(sizes.ep),
                                hotspot_program(sizes.hotspot, sizes.steps)};
  for (auto const& one : all) now.parameter(one.name, one.size);
  return all;
}

constexpr program_sizes quick{128, "S", 128, 10};

}  // namespace

std::vector<program_kind> job_programs(session& now) {
  if (now.quick()) return programs_of(now, quick);
  if (!now.first()->is_cuda()) return programs_of(now, {768, "W", 1024, 200});
  return programs_of(now, {8192, "D", 8192, 1000});
}

std::vector<program_kind> shorter_job_programs(session& now) {
  if (now.quick()) return programs_of(now, quick);
  if (!now.first()->is_cuda()) return programs_of(now, {512, "S", 1024, 50});
  return programs_of(now, {8192, "C", 8192, 100});
}

}  // namespace ballast::bench
