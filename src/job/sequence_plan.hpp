// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "byte_runs.hpp"
#include "task_planner.hpp"

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
/// A step of the same repetition, or of the one before.
struct step_dependency {
  std::size_t step = 0;
  bool is_of_last = false;

  bool operator==(step_dependency const&) const = default;
};

/// One thing that a device does in a repetition of a sequence that several share.
struct shared_step {
  std::uint32_t device = 0, lane = 0;
  std::variant<shared_launch, shared_copy_in> what{};
  bool is_awaited = false;  ///< by a step in another lane
  std::vector<step_dependency>
      after{};  ///< in other lanes; within a lane of a device steps follow each other

  bool operator==(shared_step const&) const = default;
};

/// The ends of a part, for which others wait, have a lane of their own, and so has what comes from devices
/// with lower numbers and with higher ones. A part in one piece is in the interior's.
inline constexpr std::uint32_t boundary_lane = 0, interior_lane = 1, low_copy_lane = 2, high_copy_lane = 3,
                               lanes_of_shared_device = 4;

/// What a device does with an array in all repetitions.
struct array_share {
  byte_runs read{};     ///< must be valid there before the first one
  byte_runs written{};  ///< by its launches
  byte_runs changed{};  ///< those, and its copies of what others write
};

/// How the devices share a sequence.
struct sequence_plan {
  std::vector<shared_step> first, second, others;  ///< repetitions; nothing of one before the third goes on
  std::vector<std::vector<array_share>> shares;    ///< of each device, of each array

  std::size_t devices() const { return shares.size(); }
  /// The bytes that `times` repetitions copy between devices.
  std::uint64_t bytes_between(std::uint32_t times) const;
};

/// A job of a sequence, and of each argument the place of its array among those of the sequence.
struct sequence_job {
  job_request request;
  std::vector<std::size_t> arrays;
};

/// Cuts every job into as many parts as there are weights, in the order of the devices, and plans with the
/// directory that jobs have what is copied between them. None if the third repetition and the fourth are not
/// the same, or two devices write the same bytes. `array_bytes`: of each array. `links`: of the host and of
/// each device. Pure, but for the maps that it asks.
std::optional<sequence_plan> plan_sequence(std::span<sequence_job const> jobs,
                                           std::span<std::size_t const> array_bytes,
                                           std::span<std::uint32_t const> weights, copy_links const& links);

}  // namespace ballast::detail
