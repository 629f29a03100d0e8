// SPDX-License-Identifier: Apache-2.0
#include "plan/host_access.hpp"

#include <string>
#include <utility>

#include "arrays/task_planner.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/array_placement.hpp"
#include "plan/job_failed.hpp"

namespace ballast::detail {

index_range elements_of(array_state const& array, index_range elements) {
  auto const all = array.shape.elements();
  if (elements == every_element) return {0, all};
  if (elements.begin > elements.end || elements.end > all)
    throw_bad_argument("elements", std::to_string(elements.begin) + " to " + std::to_string(elements.end),
                       "0 to " + std::to_string(all) + " of " + array.name());
  return elements;
}

host_access::host_access(job_planner& planner, std::shared_ptr<array_state> array, host_use use,
                         index_range elements)
    : planner_(planner),
      array_(std::move(array)),
      use_(use),
      place_(use == host_use::take_home || use == host_use::give_up ? array_->home() : host_place),
      elements_(elements),
      bytes_(region({elements}), array_->shape, array_->element_bytes),
      turn_(planner_.take_turn(all_uses())) {}

array_use host_access::all_uses() const {
  return {array_->id, reads() ? bytes_ : byte_runs(), writes() ? bytes_ : byte_runs()};
}

/// Once its turn has come, nothing newer touches the bytes.
bool host_access::try_open() {
  if (!has_come()) return false;
  if (reads()) fetch();
  auto const& directory = array_->directory;
  auto const hull = bytes_.hull();
  return (writes() ? directory.users(place_, hull) : directory.writers(place_, hull)).empty();
}

void host_access::fetch() {
  auto const by = losing_job(array_->directory, bytes_);
  if (by == job_number()) throw error("a lost device had elements of " + array_->name());
  if (by)
    throw job_failed("number " + std::to_string(by->value()), {}, "",
                     "it was to write elements of " + array_->name() + " and failed" +
                         first_failure_text(planner_.first_failure()));
  if (place_ != host_place && planner_.is_lost(place_.value() - 1))
    throw error(planner_.device_name(place_.value() - 1) + " is lost, whose memory " + array_->name() +
                " adopted");
  if (planner_.is_stopped() && !array_->directory.missing(place_, bytes_.hull()).empty())
    throw error("elements of " + array_->name() + " went with the scheduler");
  planner_.arrays().fetch_to(array_, bytes_, place_, {}, {});
}

void host_access::grant(bool is_for_all_ranks) {
  if (writes()) planner_.record_host_write(*array_, bytes_.hull(), place_);
  if (place_ != host_place) return;
  bool const has_all = elements_.end - elements_.begin == array_->shape.elements();
  if (!is_for_all_ranks || !has_all || planner_.newest_turn() != turn_) return;
  array_->open.to_read.store(true, std::memory_order_release);
  if (writes()) array_->open.to_update.store(true, std::memory_order_release);
}

}  // namespace ballast::detail
