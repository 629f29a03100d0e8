// SPDX-License-Identifier: Apache-2.0
#include "own_writes.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

constexpr int no_loop = -1;

isl::set nothing_in(isl_session const& session) {
  return isl::set::empty(isl::space::unit(session.context()).add_unnamed_tuple(1));
}

/// What is not added for lack of an answer is not known to be written.
void add_to(growing_union& written, isl::set const& more, isl_session const& session) {
  session.ask([&] { return written.add(more), true; });
}

}  // namespace

own_writes::own_writes(isl_session const& session) : session_(session) {
  around_.push_back({no_loop, growing_union(nothing_in(session))});
}

void own_writes::add(access_elements const& write) {
  if (!write.exact) return;
  go_to(write.source->loops);
  add_to(around_.back().written, write.elements, session_);
}

bool own_writes::hold(access_elements const& read) {
  go_to(read.source->loops);
  auto const has = [&](auto const& one) { return one.written.has(read.elements); };
  if (std::ranges::any_of(around_, has)) return true;
  return session_.ask(false, [&] {
    auto const written = all();
    return has_few_pieces(written) && !written.is_empty() && read.elements.is_subset(written);
  });
}

isl::set own_writes::all() const {
  auto together = around_.front().written.all();
  for (auto one = around_.begin() + 1; one != around_.end(); ++one)
    together = together.unite(one->written.all());
  return together;
}

void own_writes::go_to(std::vector<int> const& loops) {
  auto const is_loop = [](within_loop const& one, int loop) { return one.loop == loop; };
  auto const apart =
      std::ranges::mismatch(around_.begin() + 1, around_.end(), loops.begin(), loops.end(), is_loop);
  auto const kept = std::size_t(apart.in1 - around_.begin());
  while (around_.size() > kept) leave_loop();
  for (auto one = apart.in2; one != loops.end(); ++one)
    around_.push_back({*one, growing_union(nothing_in(session_))});
}

/// All its rounds are over by then.
void own_writes::leave_loop() {
  auto const left = std::move(around_.back());
  around_.pop_back();
  auto const all_rounds = session_.ask(
      [&] { return in_fewer_pieces(left.written.all().project_out_param(parameter::loop(left.loop))); });
  if (all_rounds) add_to(around_.back().written, *all_rounds, session_);
}

}  // namespace ballast::mesicc
