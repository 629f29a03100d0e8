// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

byte_runs bytes_of(array_state const& array, index_range elements) {
  return {region({elements}), array.shape, array.element_bytes};
}

index_range checked(array_state const& array, index_range elements) {
  auto const all = array.shape.elements();
  if (elements == every_element) return {0, all};
  if (elements.begin > elements.end || elements.end > all)
    throw_bad_argument("elements", std::to_string(elements.begin) + " to " + std::to_string(elements.end),
                       "0 to " + std::to_string(all) + " of " + array.name());
  return elements;
}

}  // namespace

/// It takes its turn among the jobs, as a job of one unit.
index_range job_runtime::open(std::shared_ptr<array_state> const& array, host_use use, index_range elements,
                              deadline until) {
  auto const range = checked(*array, elements);
  if (range.is_empty()) return range;
  guard hold(*this);
  host_access access{array, use, bytes_of(*array, range), take_turn(*array, use, range)};
  try {
    wait_for_access(access, hold, until);
  } catch (...) {
    end_turn(access);
    throw;
  }
  grant_access(access, range);
  end_turn(access);
  return range;
}

job_number job_runtime::take_turn(array_state const& array, host_use use, index_range elements) {
  auto const bytes = bytes_of(array, elements);
  array_use const all{array.id, use == host_use::write ? byte_runs() : bytes,
                      use == host_use::read ? byte_runs() : bytes};
  auto const number = newest_job_ = job_number(newest_job_.value() + 1);
  order_.add(number, 1, [all](job_part) { return std::vector{all}; });
  return number;
}

void job_runtime::end_turn(host_access const& access) {
  order_.drop(access.turn);
  advance();
  changed_.notify();
}

void job_runtime::wait_for_access(host_access& access, guard& hold, deadline until) {
  for (auto seen = changed_.epoch(); !try_open(access); seen = changed_.epoch()) {
    if (stopped_) throw error("the scheduler went while the host waited for " + access.array->name());
    hold.unlock();
    bool const rung = changed_.wait_past(seen, until.at());
    hold.lock();
    if (rung || try_open(access)) continue;
    auto const state = state_under_mutex();
    throw timed_out("elements of " + access.array->name() + " for the host", state);
  }
}

/// Copies are planned when the turn has come; from then on nothing newer touches the bytes.
bool job_runtime::try_open(host_access& access) {
  auto& array = *access.array;
  auto const writes = access.use != host_use::read, reads = access.use != host_use::write;
  array_use const use{array.id, reads ? access.bytes : byte_runs(), writes ? access.bytes : byte_runs()};
  if (order_.blocking_job(access.turn, {&use, 1})) return false;
  if (reads) fetch_to_host(access);
  auto const hull = access.bytes.hull();
  return (writes ? array.directory.users(host_place, hull) : array.directory.writers(host_place, hull))
      .empty();
}

void job_runtime::fetch_to_host(host_access const& access) {
  auto const& array = *access.array;
  auto const by = losing_job(array.directory, access.bytes);
  if (by == job_number()) throw error("a lost device had elements of " + array.name());
  if (by)
    throw job_failed("number " + std::to_string(by->value()), {}, "",
                     "it was to write elements of " + array.name() + " and failed");
  if (stopped_ && !array.directory.missing(host_place, access.bytes.hull()).empty())
    throw error("elements of " + array.name() + " went with the devices of the scheduler");
  fetch_to(access.array, access.bytes, host_place, {}, {});
}

/// The host has what it wants when nothing else is at it: its operation begins and ends here.
void job_runtime::grant_access(host_access const& access, index_range range) {
  auto& array = *access.array;
  if (access.use != host_use::read) {
    auto const op = ops_.add(op_kind::host_access, {std::uint32_t(devices_.size()), 0});
    array.directory.record_write(op, host_place, access.bytes.hull());
    ops_.mark_issued(op);
    ops_.mark_ended(op);
  }
  if (range.end - range.begin != array.shape.elements() || newest_job_ != access.turn) return;
  array.open.to_read.store(true, std::memory_order_release);
  if (access.use != host_use::read) array.open.to_update.store(true, std::memory_order_release);
}

}  // namespace ballast::detail
