// SPDX-License-Identifier: Apache-2.0
#include "interpreted_launch.hpp"

#include <algorithm>
#include <utility>

namespace ballast::mesicc {
namespace {

void add(touched_elements const& more, touched_elements& all) {
  for (auto const& [variable, elements] : more) all[variable].insert(elements.begin(), elements.end());
}

}  // namespace

interpreted_launch::interpreted_launch(launch_model const& model, axis cut, std::vector<std::int64_t> scalars,
                                       std::uint32_t seed)
    : model_(model), random_(seed) {
  leaves_.scalars = std::move(scalars);
  leaves_.loops.resize(model.loops.size());
  leaves_.unknown = [this](auto const&) { return std::int64_t(random_() % 20) - 2; };
  leaves_.unknown_condition = [this](auto const&) { return random_() % 2 == 0; };
  auto const across = evaluate(model.threads_x, leaves_), down = evaluate(model.threads_y, leaves_);
  rows_ = cut == axis::x ? across : down;
  done_.resize(std::size_t(rows_));
  for (std::int64_t y = 0; y < down; ++y) {
    for (std::int64_t x = 0; x < across; ++x) run_thread(x, y, done_[std::size_t(cut == axis::x ? x : y)]);
  }
}

row_accesses interpreted_launch::of_rows(std::int64_t first, std::int64_t end) const {
  row_accesses all;
  for (auto row = first; row < end; ++row) {
    add(of_row(row).read_before_written, all.read_before_written);
    add(of_row(row).written, all.written);
  }
  return all;
}

std::int64_t interpreted_launch::elements(int argument) const {
  auto const& array = model_.arrays[std::size_t(argument)];
  if (first_unknown(array.extents[0])) return 0;
  std::int64_t elements = 1;
  for (auto const& extent : array.extents) elements *= evaluate(extent, leaves_);
  return elements + offset(argument);
}

std::string interpreted_launch::variable(int argument) const {
  auto const& array = model_.arrays[std::size_t(argument)];
  return array.variable.empty() ? "(" + array.parameter + ")" : array.variable;
}

std::int64_t interpreted_launch::offset(int argument) const {
  auto const& array = model_.arrays[std::size_t(argument)];
  return is_placed_at_run_time(array) ? 1000 : evaluate(array.offset, leaves_);
}

void interpreted_launch::run_thread(std::int64_t x, std::int64_t y, row_accesses& done) {
  leaves_.thread = {x, y};
  written_by_thread_.clear();
  row_ = &done;
  run(0, model_.accesses.size(), 0);
}

void interpreted_launch::run(std::size_t first, std::size_t end, std::size_t depth) {
  while (first < end) {
    if (model_.accesses[first].loops.size() == depth) {
      carry_out(model_.accesses[first++]);
      continue;
    }
    auto const behind = end_of_loop(first, end, depth);
    run_loop(first, behind, depth);
    first = behind;
  }
}

std::size_t interpreted_launch::end_of_loop(std::size_t first, std::size_t end, std::size_t depth) const {
  auto const loop = model_.accesses[first].loops[depth];
  while (first < end && model_.accesses[first].loops.size() > depth &&
         model_.accesses[first].loops[depth] == loop)
    ++first;
  return first;
}

void interpreted_launch::run_loop(std::size_t first, std::size_t end, std::size_t depth) {
  auto const place = std::size_t(model_.accesses[first].loops[depth]);
  auto const& loop = model_.loops[place];
  auto const bound = std::min<std::int64_t>(evaluate(loop.bound, leaves_), 64);
  for (auto counter = evaluate(loop.first, leaves_); loop.step > 0 ? counter < bound : counter > bound;
       counter += loop.step) {
    leaves_.loops[place] = counter;
    if (!loop.runs_whole && random_() % 8 == 0) return;
    run(first, end, depth + 1);
  }
}

void interpreted_launch::carry_out(access const& one) {
  auto const holds = [&](condition const& guard) { return evaluate(guard, leaves_); };
  if (!std::ranges::all_of(one.guards, holds) || (!one.always && random_() % 2 == 0)) return;
  auto const& array = model_.arrays[std::size_t(one.array)];
  auto const is_flat = one.index.size() < array.extents.size();
  std::int64_t element = 0;
  for (std::size_t place = 0; place < one.index.size(); ++place) {
    auto const index = evaluate(one.index[place], leaves_);
    auto const extent =
        first_unknown(array.extents[place]) ? INT64_MAX : evaluate(array.extents[place], leaves_);
    if (!is_flat && place > 0 && (index < 0 || index >= extent)) return;  // undefined: no program does it
    element = element * (place == 0 ? 1 : extent) + index;
  }
  element += offset(one.array);
  auto const size = elements(one.array);
  if (element < 0 || (size > 0 && element >= size)) return;
  auto const name = variable(one.array);
  if (one.kind == access_kind::write) {
    row_->written[name].insert(element);
    written_by_thread_[name].insert(element);
  } else if (!written_by_thread_[name].contains(element)) {
    row_->read_before_written[name].insert(element);
  }
}

}  // namespace ballast::mesicc
