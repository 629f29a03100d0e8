// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

op_stream on(std::uint32_t device, lane_stream stream) { return {device, std::uint32_t(stream)}; }

moved_bytes moved_by(planned_copy const& copy) {
  auto const bytes = copy.size();
  if (copy.from == place_id(0)) return {.from_host = bytes};
  if (copy.to == place_id(0)) return {.to_host = bytes};
  return {.between_devices = bytes};
}

}  // namespace

/// The target's, so that what comes in is in one order; but a GPU reaches all memory, and CPU cores do not.
op_stream scheduler_core::stream_of_copy(place_id from, place_id to) const {
  if (to == place_id(0)) return on(from.value() - 1, lane_stream::copy_out);
  auto const is_cuda = [&](place_id place) {
    return place != place_id(0) && devices_[place.value() - 1]->is_cuda();
  };
  if (is_cuda(from) && !is_cuda(to)) return on(from.value() - 1, lane_stream::copy_out);
  return on(to.value() - 1, lane_stream::copy_in);
}

/// They alternate, so that the tail of a kernel and the next one's beginning share the device.
op_stream scheduler_core::next_compute_stream(std::uint32_t device) {
  auto const even = on_devices_[device].kernels++ % 2 == 0;
  return on(device, even ? lane_stream::compute_0 : lane_stream::compute_1);
}

moved_bytes scheduler_core::bring(std::shared_ptr<array_home> const& array, byte_runs const& bytes,
                                  place_id to, job_number job) {
  moved_bytes moved;
  for (auto const& copy : planner_.bring(array->ledger, bytes, to)) {
    hand_copy(array, copy, job);
    moved += moved_by(copy);
  }
  statistics_.moved += moved;
  return moved;
}

void scheduler_core::hand_copy(std::shared_ptr<array_home> const& array, planned_copy const& copy,
                               job_number job) {
  copies_.emplace(copy.op.value(), link_use{copy.from, copy.to, copy.size()});
  hand_over(copy.op, job, [array, copy](stream& on) {
    for (auto const [begin, end] : copy.bytes)
      on.copy(array->address(copy.to) + begin, array->address(copy.from) + begin, end - begin);
  });
}

void scheduler_core::hand_kernel(op_id op, planned_task const& task) {
  auto const place = place_id(1 + task.job->devices[task.share]);
  std::vector<void*> arrays;
  for (auto const& argument : task.job->request.arguments) arrays.push_back(argument.array->address(place));
  hand_over(op, task.job->number, [job = task.job, part = task.part, arrays](stream& on) {
    job->request.launch({arrays, job->grid(), part, job->code}, on);
  });
}

/// What an operation waits for is known by now: nothing newer is put before it.
void scheduler_core::hand_over(op_id op, job_number job, std::function<void(stream&)> enqueue) {
  auto const& planned = ops_.at(op);
  auto const lane = planned.on.lane;
  auto const progress = std::make_shared<lane_progress>(op, planned.on, devices_[lane]->is_cuda());
  journal_.note_handed_over(op, planned, job);
  lane_work work{progress, planned.kind == op_kind::kernel, progress_of(planned.after),
                 progress_of(planned.takes_from), std::move(enqueue)};
  ops_.note_issued(op);
  progress_.emplace(op.value(), progress);
  lanes_[lane]->take(std::move(work));
}

/// Of those that have not ended.
progress_list scheduler_core::progress_of(std::vector<op_id> const& ops) const {
  progress_list found;
  for (auto const op : ops)
    if (auto const one = progress_.find(op.value()); one != progress_.end()) found.push_back(one->second);
  return found;
}

}  // namespace ballast::inline job
