// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/trace.hpp"
#include "stage.hpp"

namespace ballast::md {

/// The four ways of Chen et al. 2010, section 6.2, to spread the force tasks over devices, the last in two
/// forms; and jobs, which several ranks may run together.
enum class solution {
  s1,    ///< equal contiguous parts of the sorted atoms, one launch per device
  s2,    ///< the same for randomly permuted atoms
  s3,    ///< chunks of the sorted atoms, launched by a control thread per device whenever its device is free
  tq,    ///< a task per 128 sorted atoms, taken from queues by kernels that stay on the devices
  chen,  ///< the same tasks in the paper's own queues, for comparison
  jobs,  ///< atoms by slots, whose ranges a job scheduler assigns: a job_system
};
/// "S1", "S2", "S3", "TQ", "chen", "jobs", in the order of solution.
std::span<std::string_view const> solution_names();
std::string_view name_of(solution which);

/// The time after which an evaluation of forces counts as hung.
constexpr std::chrono::hours device_timeout{1};

/// One evaluation of all forces, with the positions already on the devices.
struct force_timing {
  std::int64_t wall_ns = 0;           ///< from the first submission until the last completion is seen
  std::vector<std::int64_t> busy_ns;  ///< per device: from the start of its first task to the end of its last
                                      ///< one
};

/// Carries out the tasks of a stage. One thread drives it; every call returns when the work is done. Throws
/// device_lost, timed_out.
class runner {
 public:
  virtual ~runner() = default;

  virtual force_timing forces(std::int64_t step) = 0;
  /// The number of launches or tasks in an evaluation of the forces.
  virtual std::uint32_t pieces() const = 0;
  virtual void drift() = 0;
  virtual void kick() = 0;
  /// Ends kernels that stay on the devices, so that another runner may use them; the next call starts them
  /// again.
  virtual void leave() {}
  /// From now on records what ran where, until it is passed null. The recorder must live that long.
  virtual void record_into(recorder* spans) = 0;
};

/// How finely S3, TQ and chen cut the atoms; rounded up to whole blocks of 128.
struct granularity {
  std::uint32_t chunk = 0;  ///< atoms per chunk of S3; 0: about 16 chunks per device
  std::uint32_t task = 0;   ///< atoms per task of TQ and chen; 0: 128, on cores up to 512 if all get many
  std::uint32_t queue_tasks = 20;  ///< capacity of a queue of chen, in tasks
  std::string feed = "rate";       ///< how TQ feeds devices: a name of feed_policies()
};

/// Makes the runner of any solution but jobs. `trace`: whether record_into() will be used. The stage must
/// outlive the runner.
std::unique_ptr<runner> make_runner(solution which, device_list const& devices, stage const& system,
                                    granularity const& cut, bool trace);

/// Part `part` of `parts` nearly equal contiguous parts of `blocks` blocks; may be empty.
block_range part_of(std::uint32_t blocks, std::size_t part, std::size_t parts);

}  // namespace ballast::md
