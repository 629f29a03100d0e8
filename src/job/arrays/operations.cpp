// SPDX-License-Identifier: Apache-2.0
#include "arrays/operations.hpp"

#include <algorithm>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool is_over(op_status status) { return status == op_status::ended || status == op_status::failed; }

}  // namespace

op_id operations::add(op_kind kind, op_stream on) {
  auto const op = next();
  kept_.push_back({.kind = kind, .on = on});
  return op;
}

std::size_t operations::index_of(op_id op) const {
  if (op < oldest() || op >= next())
    throw_bad_argument("operation", op.value(),
                       std::to_string(oldest().value()) + " to " + std::to_string(next().value() - 1));
  return op.value() - oldest().value();
}

bool operations::has_ended(op_id op) const { return op < oldest() || is_over(at(op).status); }

void operations::add_newest(op_set& set, op_id op) const {
  if (has_ended(op)) return;
  auto const on = at(op).on;
  auto const goes = [&](op_id other) { return has_ended(other) || (other < op && at(other).on == on); };
  set.erase(std::remove_if(set.begin(), set.end(), goes), set.end());
  if (std::ranges::any_of(set, [&](op_id other) { return at(other).on == on; })) return;
  set.insert(std::ranges::upper_bound(set, op), op);
}

void operations::add_dependency(op_id later, op_id earlier) {
  if (later == earlier || has_ended(earlier)) return;
  if (earlier > later)
    throw_bad_argument("earlier", earlier.value(), "below " + std::to_string(later.value()));
  auto& operation = change(later);
  if (operation.status != op_status::waiting)
    throw_bad_argument("later", later.value(), "an operation that was not issued");
  add_newest(operation.dependencies, earlier);
}

void operations::add_data_dependency(op_id later, op_id from) {
  if (later == from || from < oldest()) return;
  if (at(from).status == op_status::failed) change(later).has_failed_input = true;
  auto& sources = change(later).data_dependencies;
  if (!has_ended(from) && std::ranges::count(sources, from) == 0) sources.push_back(from);
}

void operations::mark_issued(op_id op) {
  auto& operation = change(op);
  auto const waits_for = [&](op_id other) {
    return !has_ended(other) && at(other).status == op_status::waiting;
  };
  if (operation.status != op_status::waiting || std::ranges::any_of(operation.dependencies, waits_for))
    throw_bad_argument("operation", op.value(), "one that is waiting, for none that was not issued");
  operation.status = op_status::issued;
}

void operations::mark_ended(op_id op, bool failed) {
  auto& operation = change(op);
  if (operation.status != op_status::issued)
    throw_bad_argument("operation", op.value(), "one that was issued");
  operation.status = failed || operation.has_failed_input ? op_status::failed : op_status::ended;
  if (operation.status == op_status::failed) pass_on_failure(op);
}

/// Marks dependent operations at once, so that a failed operation may be forgotten.
void operations::pass_on_failure(op_id op) {
  for (auto later = op_id(op.value() + 1); later < next(); later = op_id(later.value() + 1)) {
    auto& operation = change(later);
    if (std::ranges::count(operation.data_dependencies, op) > 0) operation.has_failed_input = true;
  }
}

void operations::forget_before(op_id op) {
  while (oldest() < op && !kept_.empty() && is_over(kept_.front().status)) {
    kept_.pop_front();
    ++forgotten_;
  }
}

}  // namespace ballast::detail
