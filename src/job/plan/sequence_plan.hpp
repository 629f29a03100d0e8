// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/task_planner.hpp"
#include "ballast/access_map.hpp"
#include "ballast/detail/job/job_request.hpp"

namespace ballast::detail {

/// A part of a job of a sequence, which a device launches.
struct shared_launch {
  std::size_t job = 0;
  job_part part{};

  bool operator==(shared_launch const&) const = default;
};
/// Bytes of an array of a sequence that come from another device.
struct shared_copy_in {
  std::size_t array = 0;
  std::uint32_t from = 0;
  std::vector<pitched_run> bytes{};

  bool operator==(shared_copy_in const&) const = default;
};
/// A step to wait for, of the same repetition or of the previous one.
struct step_dependency {
  std::size_t step = 0;
  bool is_of_last = false;

  bool operator==(step_dependency const&) const = default;
};

/// One action of a device in a repetition of a sequence that several devices share.
struct shared_step {
  std::uint32_t device = 0, lane = 0;
  std::variant<shared_launch, shared_copy_in> what{};
  bool is_awaited = false;               ///< by a step in another lane
  std::vector<step_dependency> after{};  ///< in other lanes; within a device's lane steps follow each other

  bool operator==(shared_step const&) const = default;
};

/// Lanes of a device's steps: one for the ends of a part, which other devices wait for; one for its interior,
/// or for a part in one piece; one for copies from devices with lower numbers, and one for copies from
/// devices with higher numbers.
inline constexpr std::uint32_t boundary_lane = 0, interior_lane = 1, low_copy_lane = 2, high_copy_lane = 3,
                               lanes_of_shared_device = 4;

/// A device's use of an array in all repetitions.
struct array_share {
  byte_runs read{};     ///< must be valid there before the first repetition
  byte_runs written{};  ///< by its launches
  byte_runs changed{};  ///< its writes, and its copies of bytes that others write
};

/// How the devices share a sequence.
struct sequence_plan {
  std::vector<shared_step> first, second, others;  ///< the steps of the first, the second, and every later
                                                   ///< repetition
  std::vector<std::vector<array_share>> shares;    ///< of each device, of each array

  std::size_t devices() const { return shares.size(); }
  /// The bytes that `times` repetitions copy between devices.
  std::uint64_t bytes_between(std::uint32_t times) const;
};

/// A job of a sequence, and for each argument the index of its array among the sequence's arrays.
struct sequence_job {
  job_request request;
  std::vector<std::size_t> arrays;
};

/// Cuts every job into as many parts as there are weights, in the order of the devices, and plans the copies
/// between them with the directories that jobs use. Returns none if the third and fourth repetitions differ,
/// or if two devices write the same bytes. `array_bytes`: for each array. `links`: between the host and the
/// devices. Pure, except for the maps that it calls.
std::optional<sequence_plan> plan_sequence(std::span<sequence_job const> jobs,
                                           std::span<std::size_t const> array_bytes,
                                           std::span<std::uint32_t const> weights, copy_links const& links);

/// Decides whether devices share the next run of a sequence, by the time that a job took in earlier runs. The
/// sequence begins on one device. Where sharing may pay, three runs try it, as the first two may open streams
/// and capture a graph; what is 5% faster stays. Two runs try the other way again after 4 runs, then after
/// twice as many each time, up to 256; after at most 16 if a job's time has changed by a quarter; at once if
/// the newest two runs took 5% longer than it did. No clock, no device.
class sharing_choice {
 public:
  /// `devices`: the number that could share the sequence, at least 1.
  explicit sharing_choice(std::size_t devices) : devices_(double(devices)) {}

  /// Whether devices share the next run.
  bool shares_next() const { return is_shared_ != (trial_left_ != 0); }
  /// How many of `left` repetitions the next run has: few while it learns, else all.
  std::uint32_t next_run(std::uint32_t left) const;
  /// Learns the mean time of a job in the run that shares_next() was for; at most 0: not known, so short.
  void learn(double job_ns);
  /// The devices cannot share the sequence: all further runs are on one.
  void refuse() { *this = sharing_choice(1); }

 private:
  static constexpr std::uint32_t first_wait = 2;

  void learn_trial(double job_ns);
  bool is_trial_due() const;
  bool is_first() const { return wait_ == first_wait; }

  double devices_;
  bool is_shared_ = false;
  std::uint32_t trial_left_ = 0;                       ///< runs that the present trial has left
  std::uint32_t runs_ = 0;                             ///< since the last trial
  std::uint32_t wait_ = first_wait;                    ///< runs between trials
  double newest_ns_ = HUGE_VAL, least_ns_ = HUGE_VAL;  ///< of the newest two runs that are no trial
  double other_ns_ = HUGE_VAL;                         ///< the least of the present trial, or of the last
  double before_ns_ = 0;                               ///< least_ns_ at the end of the last trial
};

}  // namespace ballast::detail
