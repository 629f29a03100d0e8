// SPDX-License-Identifier: Apache-2.0
#include "range_load.hpp"

#include <algorithm>

namespace ballast::detail {

bool may_create_tasks(kernel_set const& kernels) {
  return std::ranges::any_of(kernels.kernels(),
                             [](listed_kernel const& kernel) { return kernel.spawns != 0; });
}

std::shared_ptr<range_load> load_of(kernel_set const& kernels, std::span<task const> batch,
                                    published_arrays const& published) {
  auto load = std::make_shared<range_load>();
  load->own = prepared_tasks(kernels, batch);
  bool const has_results = std::ranges::any_of(
      load->records(), [&](task_record const& record) { return result_bytes(kernels, record) > 0; });
  for (auto const& record : load->records()) {
    check_task(kernels, record, published);
    if (!has_results) continue;
    load->homes_at.push_back(std::uint32_t(load->homes.size()));
    append_result_homes(kernels, record, load->homes);
  }
  if (has_results) load->homes_at.push_back(std::uint32_t(load->homes.size()));
  return load;
}

std::shared_ptr<range_load> load_of_created(kernel_set const& kernels, std::vector<task_record> records) {
  auto load = std::make_shared<range_load>();
  load->own = {kernels, std::move(records)};
  return load;
}

bool may_travel(kernel_set const& kernels, task_record const& record, published_arrays const& published) {
  try {
    check_task(kernels, record, published);
  } catch (bad_argument const&) { return false; }
  return true;
}

bool are_repeatable(kernel_set const& kernels, std::span<task_record const> records) {
  if (may_create_tasks(kernels)) return std::ranges::all_of(kernels.kernels(), &listed_kernel::repeatable);
  return std::ranges::all_of(
      records, [&](task_record const& record) { return kernels.kernels()[record.kernel()].repeatable; });
}

}  // namespace ballast::detail
