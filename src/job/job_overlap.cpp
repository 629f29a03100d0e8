// SPDX-License-Identifier: Apache-2.0
#include "job_overlap.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {
namespace {

/// What reaches furthest, of all units and of all but that one: enough to find one of another unit.
class furthest {
 public:
  void add(touched_bytes const& touched) {
    if (first_ && first_->unit == touched.unit) {
      first_->end = std::max(first_->end, touched.bytes.end);
      return;
    }
    reach const reached{touched.bytes.end, touched.unit};
    if (!second_ || second_->end < reached.end) second_ = reached;
    if (!first_ || first_->end < second_->end) std::swap(first_, second_);
  }

  /// A unit other than `unit` that reaches beyond `byte`.
  std::optional<std::uint32_t> other_beyond(std::size_t byte, std::uint32_t unit) const {
    for (auto const& one : {first_, second_})
      if (one && one->unit != unit && one->end > byte) return one->unit;
    return std::nullopt;
  }

 private:
  struct reach {
    std::size_t end;
    std::uint32_t unit;
  };
  std::optional<reach> first_, second_;
};

}  // namespace

std::optional<common_byte> first_common_byte(std::vector<touched_bytes> touched) {
  std::ranges::sort(touched, {}, [](auto const& one) { return one.bytes.begin; });
  furthest all, written;
  for (auto const& one : touched) {
    auto const& against = one.written ? all : written;
    if (auto const other = against.other_beyond(one.bytes.begin, one.unit))
      return common_byte{one.bytes.begin, std::min(one.unit, *other), std::max(one.unit, *other)};
    all.add(one);
    if (one.written) written.add(one);
  }
  return std::nullopt;
}

}  // namespace ballast::detail
