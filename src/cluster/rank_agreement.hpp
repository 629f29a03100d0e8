// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ballast::detail {

/// What ranks say, by rank.
using said_by_ranks = std::map<std::uint32_t, std::string>;

/// What rank 0 and another say, which is not the same: lists of kernels, or a word. Empty if all say the
/// same.
std::string difference_of(said_by_ranks const& said);

/// What all ranks say something of, and how rank 0 finds out what is wrong with that.
struct agreement {
  char const* argument;
  std::string (*fault_of)(said_by_ranks const&) = &difference_of;
  char const* legal = "the same on all ranks";
};

/// Ranks agree call by call, by the first, which compares what all living ones say. Pure; one thread at a
/// time.
class rank_agreement {
 public:
  struct surroundings {
    std::function<bool(std::uint32_t rank)> is_lost;
    std::function<void(std::string const& text)> say;                        ///< to rank 0
    std::function<void(std::uint32_t to, std::string const& fault)> answer;  ///< from rank 0
  };

  rank_agreement(std::uint32_t rank, std::uint32_t ranks, surroundings of)
      : rank_(rank), ranks_(ranks), of_(std::move(of)) {}

  /// The next call, whose predecessor has ended. Of a text that no message holds a fingerprint is compared.
  void begin(agreement const& on, std::string text);
  /// On rank 0; may come before its own begin().
  void hear(std::uint32_t from, std::string_view text);
  /// What rank 0 has found.
  void hear_answer(std::string_view fault) { fault_ = fault; }
  /// Another rank is lost.
  void note_loss() { compare(); }

  /// What is wrong, empty for nothing; none until all living ranks have said something.
  std::optional<std::string> const& fault() const { return fault_; }

 private:
  void compare();

  std::uint32_t const rank_, ranks_;
  surroundings const of_;
  agreement on_ = {};
  bool has_begun_ = false;
  said_by_ranks said_;
  std::optional<std::string> fault_;
};

}  // namespace ballast::detail
