// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace ballast::detail {

/// Whether this rank does what the one before it does, step by step: all ranks of a cluster do the same if
/// each does what its neighbour does. Steps are texts. Pure; one thread at a time.
class program_check {
 public:
  /// The next step that this rank does.
  void add(std::string text);
  /// Steps that the next rank was not told.
  std::size_t untold() const { return untold_.size(); }
  /// Takes those, at most so many bytes, a line each. At least one if there is one.
  std::string take_untold(std::size_t most_bytes);
  /// What the rank before says of its next steps, as take_untold() gives it.
  void hear(std::string_view told);
  /// The first step that is not the same: "step 17 is ... here, and ... there".
  std::optional<std::string> const& difference() const { return difference_; }

 private:
  void compare();

  std::deque<std::string> untold_, own_, heard_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
};

}  // namespace ballast::detail
