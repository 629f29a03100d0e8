// SPDX-License-Identifier: Apache-2.0
#include "emit/member_names.hpp"

namespace ballast::mesicc {
namespace {

/// What launch_struct.cpp says that is no member's name, and is not behind "." or "::".
std::set<std::string> const own_names{"name", "form",      "uses",      "bind",   "for_each_array",
                                      "of",   "part",      "f",         "F",      "std",
                                      "auto", "threads_x", "threads_y", "ballast"};

}  // namespace

std::vector<std::string> member_names(std::vector<std::string> const& wanted, std::set<std::string> further) {
  auto& needed = further;
  needed.insert(own_names.begin(), own_names.end());
  for (auto const& name : wanted) needed.insert(name + "_here");
  std::set<std::string> taken(wanted.begin(), wanted.end());
  std::vector<std::string> names;
  for (auto const& one : wanted) {
    auto name = one.empty() ? "unnamed_" + std::to_string(names.size()) : one;
    bool const is_free = !needed.contains(name);
    while (needed.contains(name) || (!is_free && taken.contains(name))) name += "_";
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace ballast::mesicc
