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

program_sizes sizes_for(session const& now) {
  if (now.quick()) return quick;
  return now.first()->is_cuda() ? program_sizes{8192, "D", 8192, 1000} : program_sizes{768, "W", 1024, 200};
}

program_kind recorded(session& now, program_kind kind) {
  now.parameter(kind.name, kind.size);
  return kind;
}

}  // namespace

program_kind job_program_of(session& now, program_name name) {
  auto const sizes = sizes_for(now);
  if (name == program_name::matmul) return recorded(now, matmul_program(sizes.matmul));
  if (name == program_name::ep) return recorded(now, ep_program(sizes.ep));
  return recorded(now, hotspot_program(sizes.hotspot, sizes.steps));
}

std::vector<program_kind> job_programs(session& now) {
  std::vector<program_kind> all;
  for (auto const name : {program_name::matmul, program_name::ep, program_name::hotspot})
    all.push_back(job_program_of(now, name));
  return all;
}

program_kind tiled_matmul(session& now) {
  return recorded(now, matmul_program(sizes_for(now).matmul, matmul::product_kernel::tiled));
}

}  // namespace ballast::bench
