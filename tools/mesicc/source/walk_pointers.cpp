// SPDX-License-Identifier: Apache-2.0
// Pointers into the arrays of a launch, and the accesses that they lead to.
#include <clang/AST/Attr.h>

#include <algorithm>

#include "source/integer_bounds.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {

element_path kernel_walker::whole_array(int array) const {
  auto const rank = model_.arrays[std::size_t(array)].extents.size();
  return {array, std::vector<expression>(rank, 0), 0};
}

address kernel_walker::decayed(location const& array) const {
  auto to = array.elements;
  for (auto& one : to.targets) one.path.fresh = !one.path.within_element;
  return to;
}

location kernel_walker::dereferenced(address const& pointer) const {
  location place;
  place.elements = pointer;
  for (auto& one : place.elements.targets) {
    if (!one.path.within_element) ++one.path.settled;
    one.path.fresh = false;
  }
  return place;
}

address kernel_walker::address_of(location const& place) const {
  if (place.local != nullptr) return {};
  auto to = place.elements;
  for (auto& one : to.targets) {
    if (!one.path.within_element) one.path.settled = std::max(0, one.path.settled - 1);
    one.path.is_member = one.path.within_element;
  }
  return to;
}

address kernel_walker::advanced(address pointer, expression const& by) {
  for (auto& one : pointer.targets) {
    if (one.path.is_member && !is_constant(by, 0))
      return lost_address("is that of a member, from which steps lead to other elements");
    advance(one.path, by);
  }
  return pointer;
}

/// Steps within a row that may leave it count flattened elements.
void kernel_walker::advance(element_path& path, expression const& by) {
  if (path.within_element || is_constant(by, 0)) return;
  auto const& extents = model_.arrays[std::size_t(path.array)].extents;
  auto& steps = path.index[std::size_t(path.flat ? 0 : path.settled)];
  bool const stays = path.flat || path.settled == 0 || path.fresh ||
                     surely_below(steps + by, extents[std::size_t(path.settled)]);
  if (stays) {
    steps = steps + by;
    return;
  }
  expression stride = 1;
  for (auto d = std::size_t(path.settled) + 1; d < extents.size(); ++d) stride = stride * extents[d];
  flatten(path);
  path.index[0] = path.index[0] + by * stride;
}

bool kernel_walker::surely_below(expression const& number, expression const& bound) {
  if (first_unknown(number) != nullptr || !is_constant(bound)) return false;
  return bounds_of(number, model_, guards_).within({0, bound->value - 1});
}

/// A place whose index counts elements of the whole array from here on.
void kernel_walker::flatten(element_path& path) const {
  auto const& extents = model_.arrays[std::size_t(path.array)].extents;
  path.settled = std::max(path.settled, 0);
  if (path.flat || extents.size() < 2) return;
  auto element = path.index[0];
  for (std::size_t d = 1; d < extents.size(); ++d) element = element * extents[d] + path.index[d];
  path.index = {element};
  path.flat = true;
}

void kernel_walker::record(access_kind kind, address const& elements, clang::SourceRange where) {
  for (auto const& one : elements.targets) {
    access noted;
    noted.array = one.path.array;
    noted.kind = kind;
    noted.index = index_of(one.path, where);
    noted.guards = guards_;
    if (!is_constant(one.when, true)) noted.guards.push_back(one.when);
    noted.loops = loops_;
    bool const leaves_a_part = kind == access_kind::write && one.path.within_element;
    noted.always = unsure_ == 0 && !leaves_a_part;
    noted.where = at(where);
    model_.accesses.push_back(std::move(noted));
  }
}

/// All of what is not chosen, where a part of an array is taken as a whole.
std::vector<expression> kernel_walker::index_of(element_path const& path, clang::SourceRange where) const {
  auto index = path.index;
  auto const rank = model_.arrays[std::size_t(path.array)].extents.size();
  if (path.flat && std::size_t(path.settled) < rank) return {unknown_value("is a whole row", at(where))};
  if (path.flat) return index;
  for (auto d = std::size_t(path.settled); d < index.size(); ++d)
    index[d] = unknown_value("is a whole row", at(where));
  return index;
}

std::string kernel_walker::named(address const& pointer) const {
  auto const& array = model_.arrays[std::size_t(pointer.targets.front().path.array)];
  return "'" + (array.parameter.empty() ? array.variable : array.parameter) + "'";
}

void kernel_walker::escape(address const& pointer, clang::Expr const& where, std::string const& how) {
  if (pointer.lost) return fail_lost(pointer, where);
  if (pointer.targets.empty()) return;
  fail(where.getSourceRange(),
       "the address of " + named(pointer) + " " + how + ", so that accesses by it cannot be seen");
}

void kernel_walker::escape_into_exposed(address const& pointer, clang::VarDecl const& variable) {
  if (pointer.targets.empty() && !pointer.lost) return;
  bool const is_volatile = variable.getType().isVolatileQualified();
  fail(clang::SourceRange(variable.getLocation()),
       "the pointer '" + variable.getNameAsString() + "' cannot be followed, because " +
           (is_volatile ? "it is volatile" : "its own address is taken or something refers to it"));
}

void kernel_walker::fail_lost(address const& pointer, clang::Expr const& where) {
  if (found_.size() == found_before_)  // else it is likely to follow from what was told already
    fail(where.getSourceRange(), "cannot tell which array this reaches: its address " + pointer.why);
}

}  // namespace ballast::mesicc
