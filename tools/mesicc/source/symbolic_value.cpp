// SPDX-License-Identifier: Apache-2.0
#include "source/symbolic_value.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

bool walk_alike(element_path const& a, element_path const& b) {
  return a.array == b.array && a.settled == b.settled && a.flat == b.flat &&
         a.within_element == b.within_element && a.fresh == b.fresh && a.index.size() == b.index.size();
}

bool is_same(expression const& a, expression const& b) { return &*a == &*b; }

expression choice(condition const& when, expression const& then, expression const& otherwise) {
  if (is_same(then, otherwise)) return then;
  if (is_constant(then) && is_constant(otherwise, then->value)) return then;
  return select(when, then, otherwise);
}

}  // namespace

address choice(condition const& when, address const& then, address const& otherwise) {
  if (then.lost) return then;
  if (otherwise.lost) return otherwise;
  bool const may_join = then.targets.size() == 1 && otherwise.targets.size() == 1 &&
                        is_constant(then.targets[0].when, true) &&
                        is_constant(otherwise.targets[0].when, true) &&
                        walk_alike(then.targets[0].path, otherwise.targets[0].path);
  if (may_join) {
    auto joined = then;
    auto& index = joined.targets[0].path.index;
    for (std::size_t i = 0; i < index.size(); ++i)
      index[i] = choice(when, index[i], otherwise.targets[0].path.index[i]);
    return joined;
  }
  address both;
  for (auto const& one : then.targets) both.targets.push_back({when && one.when, one.path});
  for (auto const& one : otherwise.targets) both.targets.push_back({!when && one.when, one.path});
  return both;
}

value choice(condition const& when, value const& then, value const& otherwise) {
  value both;
  if (then.number && otherwise.number) both.number = choice(when, *then.number, *otherwise.number);
  if (then.truth && otherwise.truth) {
    both.truth = (when && *then.truth) || (!when && *otherwise.truth);
    both.number = select(*both.truth, 1, 0);
  }
  if (then.leads_to && otherwise.leads_to) both.leads_to = choice(when, *then.leads_to, *otherwise.leads_to);
  return both;
}

}  // namespace ballast::mesicc
