// SPDX-License-Identifier: Apache-2.0
#include "accessed_variable.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "own_writes.hpp"

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
  std::map<int, own_writes> written;  // only by the same argument, whose memory is there for its own sake
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
