// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

namespace ballast::detail {

/// An integer that identifies one kind of object: ids of different tags do not mix, and no arithmetic is
/// offered. Example: `using stream_id = strong_id<struct stream_tag, std::uint32_t>;`
template <class Tag, class Integer>
class strong_id {
 public:
  constexpr strong_id() = default;
  constexpr explicit strong_id(Integer value) : value_(value) {}

  constexpr Integer value() const { return value_; }
  constexpr auto operator<=>(strong_id const&) const = default;

 private:
  Integer value_ = 0;
};

}  // namespace ballast::detail
