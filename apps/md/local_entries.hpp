// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::md {

/// Entries of the devices' tables of arguments, `count` in a row, for as long as the object lives. Throws
/// ballast::error when all 64 are taken.
class local_entry_lease {
 public:
  explicit local_entry_lease(std::uint32_t count);
  ~local_entry_lease();
  local_entry_lease(local_entry_lease const&) = delete;
  local_entry_lease& operator=(local_entry_lease const&) = delete;

  std::uint32_t first() const { return first_; }

 private:
  std::uint32_t first_ = 0, count_;
};

}  // namespace ballast::md
