// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace ballast::test {

/// A record of more than one word, whose parts must fit each other: a torn one shows.
struct numbered {
  std::uint64_t number;
  std::uint64_t inverse;
  std::uint32_t third;

  static numbered of(std::uint64_t number) {
    return {number, ~number, static_cast<std::uint32_t>(number * 3)};
  }
  bool is_whole() const { return inverse == ~number && third == static_cast<std::uint32_t>(number * 3); }
};

/// Counts how often each record was taken. What a record stands for lies in plain memory, so that
/// ThreadSanitizer sees whether who added it is ordered before who took it.
class record_ledger {
 public:
  explicit record_ledger(std::uint64_t records) : meaning_(records), times_taken_(records) {}

  /// Before the record is added.
  numbered make(std::uint64_t number) {
    meaning_[number] = number * 7;
    return numbered::of(number);
  }

  void note(numbered const& record) {
    bool const is_known = record.is_whole() && record.number < meaning_.size();
    if (is_known && meaning_[record.number] == record.number * 7)
      ++times_taken_[record.number];
    else
      ++damaged_;
  }

  /// How many records were not taken exactly once, and how many takings gave none.
  std::uint64_t faults() const {
    std::uint64_t count = damaged_.load();
    for (auto const& times : times_taken_) count += times.load() != 1;
    return count;
  }

 private:
  std::vector<std::uint64_t> meaning_;
  std::vector<std::atomic<std::uint32_t>> times_taken_;
  std::atomic<std::uint64_t> damaged_ = 0;
};

}  // namespace ballast::test
