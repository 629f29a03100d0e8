// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ballast::mesicc {

/// Changes of a text, noted in any order by offsets of the text as it was, then made at once.
class file_edits {
 public:
  /// Instead of `length` bytes at `offset`. False, and nothing is noted, if that meets another replacement,
  /// unless it is the same again.
  [[nodiscard]] bool replace(std::size_t offset, std::size_t length, std::string text);
  /// Before the byte at `offset` and what replaces it; what is inserted there later comes after it.
  void insert(std::size_t offset, std::string const& text) { inserted_[offset] += text; }

  /// Whether a part of these bytes was replaced.
  bool has_replaced(std::size_t offset, std::size_t length) const;

  bool empty() const { return replaced_.empty() && inserted_.empty(); }
  /// Throws nothing; offsets beyond the text are taken as its end. An insertion within a replaced text comes
  /// before it.
  std::string apply_to(std::string_view text) const;

 private:
  struct replacement {
    std::size_t length;
    std::string text;
  };

  std::map<std::size_t, replacement> replaced_;
  std::map<std::size_t, std::string> inserted_;
};

}  // namespace ballast::mesicc
