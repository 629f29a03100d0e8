// SPDX-License-Identifier: Apache-2.0
#include "accessed_variable.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace ballast::mesicc {
namespace {

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

/// The elements that `write` has written when a thread gets to `read`, by the loops around both.
isl::set written_before(access_elements const& write, access_elements const& read) {
  auto const &inner = write.source->loops, &around = read.source->loops;
  auto elements = write.elements;
  for (auto own = std::ranges::mismatch(inner, around).in1; own != inner.end(); ++own) {
    elements = elements.project_out_param(parameter::loop(*own));
  }
  return elements;
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

bool reads_own_writes(access_elements const& read, std::vector<access_elements const*> const& writes) {
  auto written = isl::set::empty(read.elements.space());
  for (auto const* const write : writes) {
    if (write->exact && write->source < read.source) written = written.unite(written_before(*write, read));
  }
  return !written.is_empty() && read.elements.is_subset(written);
}

std::vector<accessed_variable> variables_of(launch_model const& model,
                                            std::vector<access_elements> const& accesses,
                                            isl_session const& session) {
  std::vector<accessed_variable> variables;
  for (std::size_t argument = 0; argument < model.arrays.size(); ++argument) {
    auto& variable = variable_of(int(argument), model, variables);
    variable.arguments.push_back(int(argument));
  }
  for (auto& variable : variables) {
    for (auto const& one : accesses) {
      if (std::ranges::find(variable.arguments, one.source->array) == variable.arguments.end()) continue;
      (one.source->kind == access_kind::read ? variable.reads : variable.writes).push_back(&one);
    }
    std::ranges::copy_if(variable.reads, std::back_inserter(variable.exposed_reads), [&](auto const* read) {
      // Only by the same argument, whose memory is there for its own sake.
      auto const own = of_argument(variable.writes, read->source->array);
      return !session.ask(false, [&] { return reads_own_writes(*read, own); });
    });
  }
  return variables;
}

}  // namespace ballast::mesicc
