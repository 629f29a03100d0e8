// SPDX-License-Identifier: Apache-2.0
#include "mergeable_kernels.hpp"

#include <map>

namespace ballast::detail {
namespace {

struct numbered_family {
  std::uint16_t number;
  std::uint16_t kernels = 0;
};

}  // namespace

mergeable_kernels::mergeable_kernels(kernel_set const* set) : set_(set) {
  if (set == nullptr) return;
  std::map<std::uint32_t, kernel_code> alone;
  for (auto const& entry : set->entries())
    if (entry.key == entry_key_of<lone_launch>) alone[entry.kernel] = entry.code;
  std::map<void (*)(void const*, host_block_context&), numbered_family> families;  // by their code
  for (auto const& entry : set->entries()) {
    if (entry.key != entry_key_of<merged_launch>) continue;
    auto const& listed = set->kernels()[entry.kernel];
    auto& family =
        families.try_emplace(entry.code.host_function, numbered_family{std::uint16_t(families.size())})
            .first->second;
    kernels_.push_back({.key = listed.key,
                        .bytes = listed.bytes,
                        .alone = alone.at(entry.kernel),
                        .merged = entry.code,
                        .needs_occupancy = listed.needs_occupancy,
                        .family = family.number,
                        .index = family.kernels++});
    kernels_.back().alone.name = listed.name;
  }
  families_ = std::uint32_t(families.size());
}

}  // namespace ballast::detail
