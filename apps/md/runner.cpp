// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "chen_runner.hpp"
#include "launch_runner.hpp"
#include "queue_runner.hpp"

namespace ballast::md {

std::string_view name_of(solution which) {
  switch (which) {
    case solution::s1:
      return "S1";
    case solution::s2:
      return "S2";
    case solution::s3:
      return "S3";
    case solution::tq:
      return "TQ";
    case solution::chen:
      break;
  }
  return "chen";
}

std::unique_ptr<runner> make_runner(solution which, device_list const& devices, stage const& system,
                                    granularity const& cut, bool trace) {
  if (which == solution::tq) return std::make_unique<queue_runner>(devices, system, cut, trace);
  if (which == solution::chen) return std::make_unique<chen_runner>(devices, system, cut);
  if (which == solution::s3) return std::make_unique<chunk_runner>(devices, system, cut.chunk);
  auto const order = which == solution::s2 ? atom_order::random : atom_order::decomposed;
  return std::make_unique<part_runner>(devices, system, order);
}

block_range part_of(std::uint32_t blocks, std::size_t part, std::size_t parts) {
  auto const first = static_cast<std::uint32_t>(blocks * part / parts);
  auto const end = static_cast<std::uint32_t>(blocks * (part + 1) / parts);
  return {first, end - first};
}

}  // namespace ballast::md
