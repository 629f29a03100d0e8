// SPDX-License-Identifier: Apache-2.0
#include "plan/array_placement.hpp"

#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "plan/job_failed.hpp"
#include "plan/job_units.hpp"

namespace ballast::detail {
namespace {

std::uint32_t bit_of(place_id place) { return 1u << place.value(); }

moved_bytes moved_by(planned_copy const& copy) {
  auto const bytes = copy.size;
  if (copy.from == host_place) return {.from_host = bytes};
  if (copy.to == host_place) return {.to_host = bytes};
  return {.between_devices = bytes};
}

bool follows(row_copy const& last, std::size_t to, std::size_t from) {
  return to == last.to + last.rows * last.to_pitch && from == last.from + last.rows * last.from_pitch;
}

/// Adds the row `next` to `last` and returns true, if it continues the rows at their pitch, which the second
/// row determines. Otherwise changes nothing and returns false.
bool append_row(row_copy& last, row_copy const& next) {
  if (last.row_bytes != next.row_bytes) return false;
  if (last.rows > 1 && !follows(last, next.to, next.from)) return false;
  if (last.rows == 1) {
    if (next.to < last.to + last.row_bytes || next.from < last.from + last.row_bytes) return false;
    last.to_pitch = next.to - last.to;
    last.from_pitch = next.from - last.from;
  }
  ++last.rows;
  return true;
}

/// Adds copies of the bytes that both `from` and `to` contain; evenly spaced rows become one copy.
void add_copies(std::vector<row_copy>& copies, std::vector<located_bytes> const& from,
                std::vector<located_bytes> const& to) {
  for (auto const& source : from)
    for (auto const& target : to) {
      auto const bytes = common(source.bytes, target.bytes);
      if (bytes.is_empty()) continue;
      row_copy const next{.to = target.offset + (bytes.begin - target.bytes.begin),
                          .from = source.offset + (bytes.begin - source.bytes.begin),
                          .row_bytes = bytes.size()};
      if (copies.empty() || !append_row(copies.back(), next)) copies.push_back(next);
    }
}

}  // namespace

std::optional<std::vector<resident_bytes>> device_residency::pin(std::span<needed_bytes const> needs,
                                                                 moved_bytes& moved) {
  moved_ = {};
  auto residents = set_.pin(needs, *this);
  moved += moved_;
  return residents;
}

std::vector<byte_range> device_residency::only_here(coherence_directory const& directory,
                                                    byte_range bytes) const {
  std::vector<byte_range> found;
  for (auto const& piece : directory.holders(bytes))
    if (piece.places == bit_of(place_of(device_))) found.push_back(piece.bytes);
  return found;
}

/// True also for a destroyed array, which needs none of its bytes.
bool device_residency::is_clean(array_id array, byte_range bytes) const {
  auto const state = arrays_.find(array);
  return state == nullptr || only_here(state->directory, bytes).empty();
}

op_set device_residency::evict(array_id array, byte_range bytes) {
  auto const state = arrays_.find(array);
  if (state == nullptr) return {};
  moved_ += arrays_.fetch_to(state, byte_runs(only_here(state->directory, bytes)), host_place, {}, {});
  return state->directory.record_eviction(place_of(device_), bytes);
}

op_set device_residency::move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
                              std::span<op_id const> after) {
  auto const state = arrays_.find(array);
  if (state == nullptr) return {};
  arrays_.move_on_device(state, device_, bytes, from, to, after);
  return state->directory.users(place_of(device_), bytes);
}

array_placement::array_placement(operations& ops, std::vector<planned_device> const& devices,
                                 copy_links links, job_options const& options, work_sink& sink,
                                 retired_objects& retired)
    : ops_(ops),
      devices_(devices),
      options_(options),
      sink_(sink),
      retired_(retired),
      sources_(std::move(links)),
      planner_(ops_, sources_, [this](place_id from, place_id to) { return stream_of_copy(from, to); }) {
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    residencies_.push_back(std::make_unique<device_residency>(*this, device, devices_[device].bytes, ops_));
}

void array_placement::add(std::shared_ptr<array_state> const& array) {
  for (std::uint32_t device = 0; device < devices_.size(); ++device) {
    auto& set = residencies_[device]->set();
    array->home() == place_of(device) ? set.add_adopted_array(array->id, array->bytes())
                                      : set.add_array(array->id, array->bytes());
  }
  arrays_.emplace(array->id, array);
}

void array_placement::forget(array_id array) {
  if (arrays_.erase(array) == 0) return;
  for (auto const& residency : residencies_) residency->set().remove_array(array, {});
}

std::shared_ptr<array_state> array_placement::find(array_id array) {
  auto const found = arrays_.find(array);
  if (found == arrays_.end()) return nullptr;
  auto state = found->second.lock();
  retired_.any.push_back(state);  // this may be its last owner
  return state;
}

void array_placement::check_shares_no_memory(array_state const& adopting) {
  for (auto const& [id, array] : arrays_)
    if (auto const other = find(id);
        other != nullptr && !other->is_released && adopting.shares_memory_with(*other))
      throw_bad_argument("memory", "some of " + other->name(), "memory of no other array of the scheduler");
}

/// Returns a stream of the target, so that arrivals are ordered; but one of the source if the target is the
/// host, or if only the target shares its memory: a GPU reaches all memory, CPU cores do not.
op_stream array_placement::stream_of_copy(place_id from, place_id to) const {
  if (to == host_place) return stream_of(from.value() - 1, device_stream::copy_out);
  auto const is_host_memory = [&](place_id place) {
    return place == host_place || devices_[place.value() - 1].capabilities.shares_host_memory;
  };
  if (!is_host_memory(from) && is_host_memory(to))
    return stream_of(from.value() - 1, device_stream::copy_out);
  return stream_of(to.value() - 1, device_stream::copy_in);
}

moved_bytes array_placement::fetch_to(std::shared_ptr<array_state> const& array, byte_runs const& bytes,
                                      place_id to, std::span<op_id const> after, job_number job) {
  moved_bytes moved;
  for (auto& copy : planner_.fetch_to(array->directory, bytes, to, after)) {
    moved += moved_by(copy);
    hand_over(array, std::move(copy), job);
  }
  moved_ += moved;
  return moved;
}

void check_has_inputs(planned_task const& task, std::optional<std::string> const& first_failure) {
  for (std::size_t i = 0; i < task.uses->size(); ++i) {
    auto const& array = *task.job->request.arguments[i].array;
    if (auto const by = losing_job(array.directory, (*task.uses)[i].read))
      throw error("it reads elements of " + array.name() +
                  (*by == job_number()
                       ? " that a lost device had"
                       : " that job number " + std::to_string(by->value()) + " was to write, which failed" +
                             first_failure_text(first_failure)));
  }
}

bool array_placement::has_room_for(job_share const& share) const {
  std::size_t bytes = 0;
  for (auto const& need : needs_of(share.uses)) bytes += memory_of(need.hull);
  return set(share.device).has_room_for_all_arrays() || bytes <= set(share.device).bytes();
}

std::uint32_t array_placement::max_units(job_record const& job, std::uint32_t device) const {
  if (set(device).has_room_for_all_arrays()) return job.units();
  return detail::max_units(job.units(), set(device).bytes(),
                           [&](job_part part) { return job.memory_of(part); });
}

std::optional<std::uint32_t> array_placement::pin(planned_task& task) {
  auto const needs = needs_of(*task.uses);
  auto residents = residencies_[task.device()]->pin(needs, task.moved);
  if (!residents) return task.device();
  for (auto const& need : needs) task.first_bytes.push_back(need.hull.begin);
  task.residents = std::move(*residents);
  for (auto& share : task.shares)
    if (auto const full = pin(share)) {
      unpin(task);
      return full;
    }
  return std::nullopt;
}

void array_placement::unpin(planned_task const& task) {
  residencies_[task.device()]->set().unpin(task.residents);
  for (auto const& share : task.shares) unpin(share);
}

void array_placement::release(planned_task const& task) {
  unpin(task);
  if (options_.reuse) return;
  residencies_[task.device()]->evict_unpinned();
  for (auto const& share : task.shares) residencies_[share.device()]->evict_unpinned();
}

void array_placement::fetch_reads(planned_task& task) {
  auto const& arguments = task.job->request.arguments;
  auto const place = task.place();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const moved = fetch_to(arguments[i].array, (*task.uses)[i].read, place,
                                task.resident_of(i).dependencies, task.job->number);
    task.moved += moved;
    if (!task.job->is_shared_by_units(i)) task.own_bytes += moved.all();
  }
  if (task.shares.empty()) return;
  for (auto& share : task.shares) {
    fetch_reads(share);
    task.moved += share.moved;
  }
  moved_bytes const moved{.between_devices = task.job->request.shares->bytes_between};
  task.moved += moved;
  moved_ += moved;
}

/// Records all reads before all writes, since one array may be several arguments.
void array_placement::record_uses(planned_task const& task, task_piece const& piece, op_id kernel) {
  for (auto const& resident : task.residents)
    for (auto const earlier : resident.dependencies) ops_.add_dependency(kernel, earlier);
  if (!task.shares.empty()) return record_shares(task, kernel);
  auto const& arguments = task.job->request.arguments;
  auto const place = task.place();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    record_reads(arguments[i].array->directory, kernel, place, (*piece.uses)[i].read);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    record_writes(arguments[i].array->directory, kernel, place, (*piece.uses)[i].written);
}

/// Records what the kernel of a shared task reads and writes on each device. No other operation may touch the
/// bytes that a device writes, or copies to itself meanwhile; finally each byte is valid where it was
/// written.
void array_placement::record_shares(planned_task const& task, op_id kernel) {
  auto const& arguments = task.job->request.arguments;
  auto const for_each = [&](auto const& record) {
    for (auto const& share : task.job->request.shares->of)
      for (std::size_t i = 0; i < arguments.size(); ++i)
        record(arguments[i].array->directory, place_of(share.device), share, i);
  };
  for (auto const& share : task.shares)
    for (auto const& resident : share.residents)
      for (auto const earlier : resident.dependencies) ops_.add_dependency(kernel, earlier);
  for_each([&](coherence_directory& directory, place_id at, job_share const& share, std::size_t i) {
    record_reads(directory, kernel, at, share.uses[i].read);
  });
  for_each([&](coherence_directory& directory, place_id at, job_share const& share, std::size_t i) {
    record_writes(directory, kernel, at, share.uses[i].written);
  });
  for_each([&](coherence_directory& directory, place_id at, job_share const& share, std::size_t i) {
    record_writes(directory, kernel, at, share.written_last[i]);
  });
}

op_id array_placement::newest_writer(planned_task const& task) const {
  op_id newest{};
  auto const place = task.place();
  for (std::size_t i = 0; i < task.uses->size(); ++i)
    for (auto const writer :
         task.job->request.arguments[i].array->directory.writers(place, (*task.uses)[i].read.hull()))
      if (auto const& op = ops_.at(writer); op.kind == op_kind::kernel && op.on.executor == task.device())
        newest = std::max(newest, writer);
  return newest;
}

/// The tasks belong to one job and are planned together.
void array_placement::broadcast_shared_reads(std::span<std::shared_ptr<planned_task> const> tasks) {
  if (tasks.size() < 2) return;
  auto const& job = tasks.front()->job;
  for (std::size_t i = 0; i < job->request.arguments.size(); ++i)
    if (job->request.arguments[i].reads() && job->is_shared_by_units(i)) broadcast(i, tasks);
}

/// Plans copies of the argument's bytes that the first task reads. Skips tasks that read other bytes, because
/// the map's units differ after all: they have no memory for the first task's bytes.
void array_placement::broadcast(std::size_t argument, std::span<std::shared_ptr<planned_task> const> tasks) {
  auto const& job = tasks.front()->job;
  auto const& array = job->request.arguments[argument].array;
  auto const& bytes = (*tasks.front()->uses)[argument].read;
  std::vector<shared_reader> readers;
  std::map<place_id, planned_task*> tasks_at;
  for (auto const& task : tasks) {
    if ((*task->uses)[argument].read != bytes) continue;
    auto const place = task->place();
    readers.push_back({place, task->resident_of(argument).dependencies});
    tasks_at.emplace(place, task.get());
  }
  for (auto& copy : planner_.broadcast(array->directory, bytes, readers)) {
    auto const moved = moved_by(copy);
    tasks_at.at(copy.to)->moved += moved;
    moved_ += moved;
    hand_over(array, std::move(copy), job->number);
  }
}

/// Passes the copy to the sink. Locates its rows now, since later operations may move the bytes to other
/// memory.
void array_placement::hand_over(std::shared_ptr<array_state> const& array, planned_copy copy,
                                job_number job) {
  std::vector<row_copy> rows;
  for (auto const bytes : copy.bytes)
    add_copies(rows, located(*array, copy.from, bytes), located(*array, copy.to, bytes));
  sink_.take(copy_work{array, std::move(copy), job, std::move(rows)});
}

std::vector<located_bytes> array_placement::located(array_state const& array, place_id place,
                                                    byte_range bytes) const {
  if (place == host_place) return {{bytes, bytes.begin}};
  return set(place.value() - 1).located(array.id, bytes);
}

void array_placement::move_on_device(std::shared_ptr<array_state> const& array, std::uint32_t device,
                                     byte_range bytes, std::size_t from, std::size_t to,
                                     std::span<op_id const> after) {
  auto const place = place_of(device);
  planned_copy copy{ops_.add(op_kind::copy, stream_of(device, device_stream::copy_in)), place, place};
  for (auto const earlier : after) ops_.add_dependency(copy.op, earlier);
  std::vector<row_copy> rows;
  for (auto const& piece : array->directory.holders(bytes)) {
    if ((piece.places & bit_of(place)) == 0) continue;
    auto const at = piece.bytes.begin - bytes.begin;
    array->directory.record_arrival(copy.op, place, place, piece.bytes);
    rows.push_back({.to = to + at, .from = from + at, .row_bytes = piece.bytes.size()});
    copy.add(piece.bytes);
  }
  sources_.mark_planned(place, place, copy.size);
  sink_.take(copy_work{array, std::move(copy), {}, std::move(rows)});
}

void array_placement::handle_copy_end(copy_work const& copy, std::uint32_t device, ended_operation const& end,
                                      bool failed) {
  if (!failed) record_span(copy, device, end);
  auto const& what = copy.what;
  sources_.mark_ended(what.from, what.to, what.size);
  if (failed)
    for (auto const bytes : what.bytes)
      copy.array->directory.record_failed_copy(what.op, what.to, bytes, copy.job);
  retired_.any.push_back(copy.array);
}

void array_placement::record_span(copy_work const& copy, std::uint32_t device,
                                  ended_operation const& end) const {
  if (!options_.trace_to) return;
  auto const goes_out = ops_.at(end.op).on.stream == std::uint32_t(device_stream::copy_out);
  options_.trace_to.record(span{.device = device,
                                .worker = first_copy_worker + (goes_out ? 1 : 0),
                                .label = label_of(copy),
                                .step = std::int64_t(copy.job.value()),
                                .begin_ns = end.begin_ns,
                                .end_ns = end.end_ns,
                                .counts = {{"bytes", copy.what.size}}});
}

std::string array_placement::label_of(copy_work const& copy) const {
  auto const name_of = [&](place_id place) {
    return place == host_place ? "host" : devices_[place.value() - 1].name;
  };
  auto const& [from, to] = std::pair(copy.what.from, copy.what.to);
  auto const way = from == to ? "within " + name_of(to) : name_of(from) + " to " + name_of(to);
  return copy.array->name() + ": " + way;
}

void array_placement::lose_device(std::uint32_t device) {
  for (auto const& [id, array] : arrays_)
    if (auto const state = find(id)) state->directory.record_place_loss(place_of(device), {});
}

}  // namespace ballast::detail
