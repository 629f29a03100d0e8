// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "arrays/task_planner.hpp"
#include "arrays/working_set.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/planned_work.hpp"

namespace ballast::detail {

class array_placement;

/// Plans copies of data that leaves the memory of one device, or moves within it.
class device_residency final : public eviction_handler {
 public:
  device_residency(array_placement& arrays, std::uint32_t device, std::size_t bytes, operations const& ops)
      : arrays_(arrays), device_(device), set_(bytes, ops) {}

  working_set& set() { return set_; }
  working_set const& set() const { return set_; }
  /// Like working_set::pin(); adds the bytes copied to the host to `moved`.
  std::optional<std::vector<resident_bytes>> pin(std::span<needed_bytes const> needs, moved_bytes& moved);
  /// Evicts data that no task needs now.
  void evict_unpinned() { set_.evict_unpinned(*this); }

  bool is_clean(array_id array, byte_range bytes) const override;
  op_set evict(array_id array, byte_range bytes) override;
  op_set move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
              std::span<op_id const> after) override;

 private:
  std::vector<byte_range> only_here(coherence_directory const& directory, byte_range bytes) const;

  array_placement& arrays_;
  std::uint32_t const device_;
  working_set set_;
  moved_bytes moved_;
};

/// Throws error if the task reads data that was lost with a failed job or a device.
void check_has_inputs(planned_task const& task, std::optional<std::string> const& first_failure);

/// The places of the arrays' bytes: plans the copies that bring bytes to a place, and frees memory for them
/// there. Passes each copy to the sink when it is planned. No device and no clock; one thread at a time.
class array_placement {
 public:
  /// All arguments passed by reference must outlive this object. Of the options it uses `reuse` and
  /// `trace_to`.
  array_placement(operations& ops, std::vector<planned_device> const& devices, copy_links links,
                  job_options const& options, work_sink& sink, retired_objects& retired);

  void add(std::shared_ptr<array_state> const& array);
  /// Forgets the array, and frees its memory on the devices. Call it once no planned operation uses the
  /// array.
  void forget(array_id array);
  /// Throws bad_argument ("memory") if some memory of `adopting` belongs to another array.
  void check_shares_no_memory(array_state const& adopting);
  /// Returns the array; null if nothing owns it any more.
  std::shared_ptr<array_state> find(array_id array);

  copy_links const& links() const { return sources_.links(); }
  /// True if the device's memory holds its part of a shared job.
  bool has_room_for(job_share const& share) const;
  /// The most units that a task of the job may have on the device; 0 if one does not fit.
  std::uint32_t max_units(job_record const& job, std::uint32_t device) const;

  /// Gives memory on its device to all bytes that the task touches (working_set::pin()), and on theirs to its
  /// shares. Returns none; or a device on which too much is pinned, and then pins nothing.
  std::optional<std::uint32_t> pin(planned_task& task);
  /// Unpins the bytes of the task and its shares. Evicts data that no task needs now if the options say so.
  void release(planned_task const& task);
  /// Plans copies of the bytes that several of these tasks read and that only the host has. The tasks belong
  /// to one job, and are pinned and planned together.
  void broadcast_shared_reads(std::span<std::shared_ptr<planned_task> const> tasks);
  /// Plans copies of the bytes that a pinned task and its shares read and their devices lack. Counts the
  /// bytes that a shared task copies between its devices itself.
  void fetch_reads(planned_task& task);
  /// Records in the arrays' directories what a kernel of a pinned task reads and writes.
  void record_uses(planned_task const& task, task_piece const& piece, op_id kernel);
  /// The newest unfinished kernel of the task's device from which the task reads; or none. For a shared task
  /// it is the first device's.
  op_id newest_writer(planned_task const& task) const;
  /// Plans copies of the bytes that are not valid at a place (task_planner::fetch_to).
  moved_bytes fetch_to(std::shared_ptr<array_state> const& array, byte_runs const& bytes, place_id to,
                       std::span<op_id const> after, job_number job);
  /// Plans to move the valid ones of these bytes within a device's memory.
  void move_on_device(std::shared_ptr<array_state> const& array, std::uint32_t device, byte_range bytes,
                      std::size_t from, std::size_t to, std::span<op_id const> after);

  void handle_copy_end(copy_work const& copy, std::uint32_t device, ended_operation const& end, bool failed);
  /// Records that the device is lost, and with it all bytes that were valid only there.
  void lose_device(std::uint32_t device);
  /// The bytes of all planned copies between places.
  moved_bytes const& moved() const { return moved_; }

 private:
  working_set const& set(std::uint32_t device) const { return residencies_[device]->set(); }
  void unpin(planned_task const& task);
  void record_shares(planned_task const& task, op_id kernel);
  void record_span(copy_work const& copy, std::uint32_t device, ended_operation const& end) const;
  std::string label_of(copy_work const& copy) const;
  void broadcast(std::size_t argument, std::span<std::shared_ptr<planned_task> const> tasks);
  op_stream stream_of_copy(place_id from, place_id to) const;
  void hand_over(std::shared_ptr<array_state> const& array, planned_copy copy, job_number job);
  std::vector<located_bytes> located(array_state const& array, place_id place, byte_range bytes) const;

  operations& ops_;
  std::vector<planned_device> const& devices_;
  job_options const& options_;
  work_sink& sink_;
  retired_objects& retired_;
  copy_sources sources_;
  task_planner planner_;
  std::vector<std::unique_ptr<device_residency>> residencies_;  ///< of each device
  std::map<array_id, std::weak_ptr<array_state>> arrays_;
  moved_bytes moved_;
};

}  // namespace ballast::detail
