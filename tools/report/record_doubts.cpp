// SPDX-License-Identifier: Apache-2.0
#include "record_doubts.hpp"

#include <algorithm>

namespace ballast {
namespace {

using doubts = std::vector<std::string>;
using object = json_value::object;

void add_difference(doubts& all, std::string const& what, std::string const& a, std::string const& b) {
  if (a != b) all.push_back(what + ": " + a + " in A, " + b + " in B");
}

std::string text_of(object const& members, std::string const& name) {
  auto const found = std::find_if(members.begin(), members.end(),
                                  [&name](json_value::member const& one) { return one.first == name; });
  return found == members.end() ? "nothing" : found->second.text();
}

void add_differences(doubts& all, std::string const& what, object const& a, object const& b) {
  for (auto const& [name, value] : a) add_difference(all, what + " " + name, value.text(), text_of(b, name));
  for (auto const& [name, value] : b) {
    if (text_of(a, name) == "nothing") add_difference(all, what + " " + name, "nothing", value.text());
  }
}

void add_own_doubts(doubts& all, std::string const& name, run_record const& record) {
  if (!record.answer.verified) {
    all.push_back("the answer of " + name + " was not verified (" + record.answer.how + ")");
  }
  if (record.source.clean == false) all.push_back(name + " was built from a changed tree");
  if (!record.source.clean) all.push_back("which source " + name + " was built from is not known");
}

}  // namespace

std::vector<std::string> doubts_of(run_record const& a, run_record const& b) {
  doubts all;
  add_own_doubts(all, "A", a);
  add_own_doubts(all, "B", b);
  add_difference(all, "machine", a.machine.name, b.machine.name);
  add_difference(all, "devices", json_value::list_of(a.devices).text(),
                 json_value::list_of(b.devices).text());
  add_differences(all, "policy", a.policies, b.policies);
  add_differences(all, "parameter", a.parameters, b.parameters);
  return all;
}

}  // namespace ballast
