// SPDX-License-Identifier: Apache-2.0
#include "accessed_variable.hpp"

#include <isl/cpp.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "access_elements.hpp"
#include "growing_union.hpp"
#include "isl_session.hpp"

namespace ballast::mesicc {
namespace {

/// The elements of an argument that a thread has certainly written before an access. Expects accesses in the
/// order of the kernel, in which a loop that was left does not come again.
class own_writes {
 public:
  explicit own_writes(isl_session const& session);

  void add(access_elements const& write);
  /// True if `read` reads only elements that the thread has written before. False if unknown.
  bool hold(access_elements const& read);

 private:
  /// The elements written in a loop's body, as a set over the counters of this loop and of those around it.
  struct within_loop {
    int loop;
    growing_union written;
  };

  void go_to(std::vector<int> const& loops);
  void leave_loop();
  isl::set all() const;

  isl_session const& session_;
  std::vector<within_loop> around_;  ///< innermost last; the first one is the whole kernel
};

constexpr int no_loop = -1;

isl::set nothing_in(isl_session const& session) {
  return isl::set::empty(isl::space::unit(session.context()).add_unnamed_tuple(1));
}

/// Adds `more`, unless isl has no answer: `more` then does not count as written.
void add_to(growing_union& written, isl::set const& more, isl_session const& session) {
  session.ask([&] { return written.add(more), true; });
}

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

/// Ends the innermost loop. What all of its iterations have written now counts for the loop around it.
void own_writes::leave_loop() {
  auto const left = std::move(around_.back());
  around_.pop_back();
  auto const all_rounds = session_.ask(
      [&] { return in_fewer_pieces(left.written.all().project_out_param(parameter::loop(left.loop))); });
  if (all_rounds) add_to(around_.back().written, *all_rounds, session_);
}

bool are_one_variable(array_argument const& a, array_argument const& b) {
  return !a.variable.empty() && a.variable == b.variable;
}

accessed_variable& variable_of(int argument, launch_model const& model,
                               std::vector<accessed_variable>& variables) {
  auto const array = [&](int place) -> array_argument const& { return model.arrays[std::size_t(place)]; };
  auto const found = std::ranges::find_if(
      variables, [&](auto const& one) { return are_one_variable(array(one.arguments[0]), array(argument)); });
  return found == variables.end() ? variables.emplace_back() : *found;
}

accessed_variable& variable_with(int argument, std::vector<accessed_variable>& variables) {
  return *std::ranges::find_if(variables, [&](auto const& one) {
    return std::ranges::find(one.arguments, argument) != one.arguments.end();
  });
}

std::vector<access_elements const*> of_argument(std::vector<access_elements const*> accesses, int argument) {
  std::erase_if(accesses, [&](auto const* one) { return one->source->array != argument; });
  return accesses;
}

}  // namespace

accessed_variable accessed_variable::through(int argument) const {
  return {{argument},
          of_argument(reads, argument),
          of_argument(writes, argument),
          of_argument(exposed_reads, argument)};
}

std::vector<accessed_variable> variables_of(launch_model const& model,
                                            std::vector<access_elements> const& accesses,
                                            isl_session const& session) {
  std::vector<accessed_variable> variables;
  for (std::size_t argument = 0; argument < model.arrays.size(); ++argument) {
    auto& variable = variable_of(int(argument), model, variables);
    variable.arguments.push_back(int(argument));
  }
  std::map<int, own_writes> written;  // by argument, since each argument has memory of its own
  for (auto const& one : accesses) {
    auto& variable = variable_with(one.source->array, variables);
    auto& before = written.try_emplace(one.source->array, session).first->second;
    if (one.source->kind == access_kind::read) {
      variable.reads.push_back(&one);
      if (!before.hold(one)) variable.exposed_reads.push_back(&one);
    } else {
      variable.writes.push_back(&one);
      before.add(one);
    }
  }
  return variables;
}

}  // namespace ballast::mesicc
