// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/device.hpp"

namespace ballast::detail {

/// The texts of ranks, by rank.
using said_by_ranks = std::map<std::uint32_t, std::string>;

/// The first difference between the texts of rank 0 and another rank, which are lists of kernels or words.
/// Empty if all are equal.
std::string difference_of(said_by_ranks const& said);

/// A question to which all ranks must give matching answers, and the function by which rank 0 finds a fault.
struct agreement {
  char const* argument;
  std::string (*fault_of)(said_by_ranks const&) = &difference_of;
  char const* legal = "the same on all ranks";
};

/// Lets ranks agree on one call at a time. The first rank compares the texts of all living ranks. Pure; one
/// thread at a time.
class rank_agreement {
 public:
  struct surroundings {
    std::function<bool(std::uint32_t rank)> is_lost;
    std::function<void(std::string const& text)> say;                        ///< to rank 0
    std::function<void(std::uint32_t to, std::string const& fault)> answer;  ///< from rank 0
  };

  rank_agreement(std::uint32_t rank, std::uint32_t ranks, surroundings of)
      : rank_(rank), ranks_(ranks), of_(std::move(of)) {}

  /// Begins the next call, once the previous one has ended. If the text does not fit into a message, ranks
  /// compare fingerprints.
  void begin(agreement const& on, std::string text);
  /// Receives another rank's text. Called on rank 0, possibly before its own begin().
  void hear(std::uint32_t from, std::string_view text);
  /// Receives the fault that rank 0 has found.
  void hear_answer(std::string_view fault) { fault_ = fault; }
  /// Compares again, since another rank is lost.
  void note_loss() { compare(); }

  /// The fault, empty if there is none; nothing until all living ranks have answered.
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

/// A rank's report to the first rank about its GPUs. `host`: the first rank of its host.
std::string describe_gpus(std::uint32_t host, device_list const& devices);

/// A text that names a GPU which two ranks of one host use, at least one of them all of it; otherwise empty.
/// `gpus`: the results of describe_gpus() by rank. Such ranks are slow, since resident kernels that each fill
/// the GPU take turns on it. Pure.
std::string twice_used_gpu(std::map<std::uint32_t, std::string> const& gpus);

/// Advice for a user whose process has fewer cores than the workers of its host devices and the threads of
/// its queue need, although the machine has more; otherwise empty. Launchers bind processes by default. Pure.
std::string advice_on_cores(process_cores const& cores, std::uint32_t workers_on_cores);

}  // namespace ballast::detail
