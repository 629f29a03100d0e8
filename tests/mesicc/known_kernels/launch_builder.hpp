// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// An array of a built kernel: `a(i, j)` is an index of it.
struct element {
  int array;
  std::vector<expression> index;
};

struct built_array {
  int place;
  template <class... Index>
  element operator()(Index const&... index) const {
    return {place, {expression(index)...}};
  }
};

/// Builds models as a front end would. Each access stands in a line of its own of k.mcu.
class launch_builder {
 public:
  launch_builder(std::string kernel, expression const& x);
  launch_builder(std::string kernel, expression const& x, expression const& y);

  expression x = thread_id(axis::x), y = thread_id(axis::y);

  built_array array(std::string const& name, std::vector<expression> extents, std::size_t bytes = 4);
  /// A parameter that is part of `variable` from the element `offset` on.
  built_array array(std::string const& parameter, std::string const& variable,
                    std::vector<expression> extents, expression const& offset = 0);
  expression scalar(std::string const& name, std::int64_t minimum);
  expression unknown(std::string const& why = "is read from memory");
  condition unknown_choice() { return unknown_condition("is read from memory", here()); }

  void read(element const& from) { add(from, access_kind::read); }
  void write(element const& to) { add(to, access_kind::write); }
  void update(element const& both) { read(both), write(both); }

  template <class Body>
  void when(condition const& guard, Body const& body) {
    guards_.push_back(guard);
    body();
    guards_.pop_back();
  }
  /// From here on, as after `if (leaves) return;`.
  void return_if(condition const& leaves) { guards_.push_back(!leaves); }

  template <class Body>
  void loop(expression const& first, expression const& bound, Body const& body) {
    loop(first, bound, 1, true, body);
  }
  template <class Body>
  void loop(expression const& first, expression const& bound, std::int64_t step, bool runs_whole,
            Body const& body) {
    auto const place = int(model_.loops.size());
    model_.loops.push_back({"i" + std::to_string(place), first, bound, step, runs_whole, here()});
    loops_.push_back(place);
    body(loop_counter(place));
    loops_.pop_back();
  }

  launch_model const& model() const { return model_; }

 private:
  place here() { return {"k.mcu", ++line_, 5, 0, 0}; }
  void add(element const& touched, access_kind kind);

  launch_model model_;
  std::vector<condition> guards_;
  std::vector<int> loops_;
  std::uint32_t line_ = 0;
};

}  // namespace ballast::mesicc
