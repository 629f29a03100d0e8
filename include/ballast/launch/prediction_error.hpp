// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ballast::inline launch {

/// How far predictions were from what was measured, as |predicted / measured - 1|. All 0 if there were none.
struct error_summary {
  std::uint64_t count = 0;
  double median = 0;     ///< rounded up to whole percents; 2 stands for 2 and more
  double within_10 = 0;  ///< part of the predictions with an error of at most 10%
  double within_20 = 0;  ///< at most 20%
};

/// Errors in classes of one percent.
class error_histogram {
 public:
  static constexpr std::uint8_t last_class = 200;  ///< and all errors above
  static std::uint8_t class_of(double predicted, double measured);

  void add(std::uint8_t error) { ++counts_[error], ++total_; }
  void remove(std::uint8_t error) { --counts_[error], --total_; }
  error_summary summary() const;

 private:
  double part_up_to(std::uint8_t error) const;
  double median() const;

  std::array<std::uint64_t, last_class + 1> counts_{};
  std::uint64_t total_ = 0;
};

/// Predictions beside what was measured, over all and over the newest. Its size is fixed. One thread at a
/// time.
class prediction_error {
 public:
  static constexpr std::size_t newest_count = 256;

  /// In any unit. Throws bad_argument ("predicted", "measured") unless both are finite, `predicted` at least
  /// 0 and `measured` above 0.
  void record(double predicted, double measured);

  error_summary all() const { return all_.summary(); }
  /// Of the last newest_count, or of all as long as there are fewer.
  error_summary newest() const { return newest_.summary(); }

 private:
  error_histogram all_, newest_;
  std::array<std::uint8_t, newest_count> ring_{};
  std::uint64_t recorded_ = 0;
};

}  // namespace ballast::inline launch
