// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/task.hpp"
#include "visiting_kernels.cuh"

namespace ballast::test {

/// How much a queue is to hold on its device.
enum class fit { smallest, usual, large };

// What queue_contract.hpp asks of a method of feeding tasks, which is a class `Method` that is made of a fit,
// by default `usual`:
//   name                                      in the names of tests
//   submit, wait_all, close                   as those of task_queue
//   request_stop(), stop(), start()           end without what has not begun, hand that back, begin again
//   place                                     a base of it and of the tests, which has
//     words(device, size)                     words that start at zero, with ref() and read()
//     gate(tasks)                             with holder(index), await_inside(tasks), open()
//     visit(words, i), long_visit(words, i, steps)    tasks that add one to a word
//     names_in_state()                        what a timed_out tells of

/// The tasks of a place whose devices have atomic additions to its words.
template <class Words>
struct counted_visits {
  static task visit(Words const& visits, std::uint32_t i) { return task(count_visit{visits.ref()}, {i, 1}); }
  static task long_visit(Words const& visits, std::uint32_t i, std::uint32_t steps) {
    return task(work_then_count{visits.ref(), steps}, {i, 1});
  }
};

struct method_names {
  template <class Method>
  static std::string GetName(int) {
    return Method::name;
  }
};

}  // namespace ballast::test
