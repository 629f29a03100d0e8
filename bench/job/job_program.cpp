// SPDX-License-Identifier: Apache-2.0
#include "job/job_program.hpp"

namespace ballast::bench {
namespace {

struct program_sizes {
  std::uint32_t matmul;
  char const* ep;
  std::uint32_t hotspot, steps;
};

constexpr program_sizes quick{128, "S", 128, 10};

program_sizes full_sizes(session const& now) {
  if (now.quick()) return quick;
  return now.first()->is_cuda() ? program_sizes{8192, "D", 8192, 1000} : program_sizes{768, "W", 1024, 200};
}

program_sizes shorter_sizes(session const& now) {
  if (now.quick()) return quick;
  return now.first()->is_cuda() ? program_sizes{8192, "C", 8192, 100} : program_sizes{512, "S", 1024, 50};
}

program_kind noted(session& now, program_kind kind) {
  now.parameter(kind.name, kind.size);
  return kind;
}

std::vector<program_kind> programs_of(session& now, program_sizes const& sizes) {
  return {noted(now, matmul_program(sizes.matmul)), noted(now, ep_program(sizes.ep)),
          noted(now, hotspot_program(sizes.hotspot, sizes.steps))};
}

}  // namespace

std::vector<program_kind> job_programs(session& now) { return programs_of(now, full_sizes(now)); }

program_kind tiled_matmul(session& now) {
  return noted(now, matmul_program(full_sizes(now).matmul, matmul::product_kernel::tiled));
}

std::vector<program_kind> shorter_job_programs(session& now) { return programs_of(now, shorter_sizes(now)); }

}  // namespace ballast::bench
