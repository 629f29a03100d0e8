// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/job_record.hpp"

namespace ballast::detail {

/// The properties of an argument that decide which elements units touch, for any array.
struct described_argument {
  std::array<std::size_t, 3> sides;
  std::string map;
  access_mode mode;

  auto operator<=>(described_argument const&) const = default;
};

/// Turns requests into jobs whose arguments were checked. It knows the kernels of the sets that were added.
/// Any thread may call any member, without the scheduler's mutex; several at a time.
class job_intake {
 public:
  /// `planned` has the bytes of each device's memory for arrays. `options` must outlive this object.
  job_intake(device_list devices, std::vector<planned_device> const& planned, job_options const& options);

  void add(kernel_set const& more);
  /// A job without a number. Throws the errors that depend on the request alone: bad_argument, and the
  /// exception of a map. `all` describes the scheduler's work in messages.
  std::shared_ptr<job_record> admit(job_request request, std::weak_ptr<described_work const> all);
  /// Throws as admit(), except for memory that the job may need, and returns its kernel's code, which lives
  /// as long as this object; null for a plain one.
  kernel_code const* checked_code(job_request const& request);
  std::string const& policy_of(job_request const& request) const;

 private:
  array_uses checked_uses(job_request const& request) const;
  void add(kernel_key key, kernel_code const& code);
  listed_code const* code_of(job_request const& request);
  listed_code const* find(kernel_key key);
  void check_write_overlap(job_record const& job);
  /// The device that the job names, or else that with the most memory.
  planned_device const& largest_for(job_setup const& setup) const;

  device_list const devices_;
  job_options const& options_;
  std::vector<planned_device> const planned_;

  std::mutex mutex_;  ///< taken last
  std::map<kernel_key, listed_code> kernels_;
  /// Pairs of sites and arguments in which no unit writes bytes that another one touches.
  std::set<std::tuple<std::uint64_t, job_site, std::vector<described_argument>>> tried_maps_;
};

}  // namespace ballast::detail
