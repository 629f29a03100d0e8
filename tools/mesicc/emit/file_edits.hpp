// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ballast::mesicc {

/// Changes of a text, recorded in any order by offsets in the original text, then applied at once.
class file_edits {
 public:
  /// Replaces `length` bytes at `offset`. False, and records nothing, if that overlaps a different
  /// replacement.
  [[nodiscard]] bool replace(std::size_t offset, std::size_t length, std::string text);
  /// Inserts before the byte at `offset` and its replacement; later insertions at the same offset follow.
  void insert(std::size_t offset, std::string const& text) { inserted_[offset] += text; }

  /// True if a part of these bytes was replaced.
  bool has_replaced(std::size_t offset, std::size_t length) const;

  bool empty() const { return replaced_.empty() && inserted_.empty(); }
  /// The text with these changes. Throws nothing; offsets beyond the text count as its end. An insertion
  /// within a replaced text precedes the replacement.
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
