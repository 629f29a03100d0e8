// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <utility>

#include "split_kinds.hpp"
#include "split_pooled.hpp"

namespace ballast::detail {
namespace {

class mapped_split final : public recorded_split {
 public:
  mapped_split(job_shape const& shape, device_parts const& parts, listener finished)
      : recorded_split(shape, std::move(finished)), waiting_(shape.devices.size()) {
    for (std::size_t device = 0; device < parts.size(); ++device)
      std::ranges::copy_if(parts[device], std::back_inserter(waiting_[device]), &job_part::count);
  }

 private:
  std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) override {
    auto& mine = waiting_[device];
    if (mine.empty() || in_flight >= max_tasks_in_flight) return std::nullopt;
    auto& next = mine.front();
    job_part const part{next.first, std::min(next.count, shape().devices[device].max_units)};
    next = {next.first + part.count, next.count - part.count};
    if (next.count == 0) mine.pop_front();
    return part;
  }

  std::vector<std::deque<job_part>> waiting_;
};

}  // namespace

std::unique_ptr<job_split> split_as_mapped(job_shape const& shape, device_parts const& parts,
                                           recorded_split::listener finished) {
  return std::make_unique<mapped_split>(shape, parts, std::move(finished));
}

}  // namespace ballast::detail
