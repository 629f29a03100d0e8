// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "ballast/access_map.hpp"
#include "modelled_array.hpp"

namespace ballast::test {
using namespace detail;

enum class access_mode { reads, writes, writes_some, updates };

struct modelled_access {
  std::size_t array;  ///< its place in the model
  access_map map;
  access_mode mode;
};

/// The words from begin to end - 1 that whole words of bytes are.
inline index_range words_of(byte_range bytes) {
  return {bytes.begin / sizeof(word), bytes.end / sizeof(word)};
}

/// What one task does with one array.
struct touched_words {
  modelled_array* array;
  access_mode mode;
  byte_runs bytes;

  bool are_read() const { return mode != access_mode::writes; }
  bool are_written() const { return mode != access_mode::reads; }
  template <class F>
  void for_each(F visit) const {
    bytes.for_each_interval([&](byte_range interval) {
      auto const [begin, end] = words_of(interval);
      for (auto i = begin; i < end; ++i) visit(i);
    });
  }
  template <class F>
  void for_each_read(F visit) const {
    if (are_read()) bytes.for_each_interval(visit);
  }
  template <class F>
  void for_each_written(F visit) const {
    if (are_written()) bytes.for_each_interval(visit);
  }
};

/// A task at a place: what it reads and writes there.
class modelled_task {
 public:
  struct word_value {
    word* where;
    word value;
  };

  modelled_task(place_id place, std::vector<touched_words> arrays)
      : place_(place), arrays_(std::move(arrays)) {}

  place_id place() const { return place_; }
  std::vector<touched_words> const& arrays() const { return arrays_; }

  bool reads_lost() const {
    bool found = false;
    for (auto const& one : arrays_)
      one.for_each_read([&](byte_range bytes) { found = found || one.array->directory.lost(bytes); });
    return found;
  }
  bool reads_doomed() const {
    bool found = false;
    for (auto const& one : arrays_)
      if (one.are_read()) one.for_each([&](std::size_t i) { found = found || is_wrong(*one.array, i); });
    return found;
  }
  /// What it will find if the directory is right, where that is not doomed.
  std::vector<word_value> expected() const {
    std::vector<word_value> words;
    for (auto const& one : arrays_)
      if (one.are_read())
        one.for_each([&](std::size_t i) {
          if (!is_wrong(*one.array, i)) words.push_back({copy_of(one, i), one.array->now[i]});
        });
    return words;
  }
  /// Does what the sequential program does and tells what the task is to write; next() gives values.
  template <class Next>
  std::vector<word_value> write(bool doomed, Next next) const {
    std::vector<word_value> words;
    for (auto const& one : arrays_)
      if (one.are_written())
        one.for_each([&](std::size_t i) {
          one.array->set_written(place_.value(), i, doomed);
          auto const value = next();
          if (one.mode == access_mode::writes_some && value % 2 == 0) return;
          words.push_back({copy_of(one, i), one.array->now[i] = value});
        });
    return words;
  }

 private:
  bool is_wrong(modelled_array const& array, std::size_t i) const {
    return array.doomed[i] || array.is_brought_wrong(place_.value(), i);
  }
  word* copy_of(touched_words const& one, std::size_t i) const {
    return &one.array->copies[place_.value()][i];
  }

  place_id place_;
  std::vector<touched_words> arrays_;
};

}  // namespace ballast::test
