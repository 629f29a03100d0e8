// SPDX-License-Identifier: Apache-2.0
#include "random_launch.hpp"

namespace ballast::mesicc {
namespace {

launch_builder builder(bool is_flat, std::int64_t rows, std::int64_t columns) {
  return is_flat ? launch_builder("random", rows) : launch_builder("random", columns, rows);
}

}  // namespace

random_launch::random_launch(std::uint32_t seed)
    : random_(seed),
      rows_(number(3, 9)),
      columns_(number(3, 7)),
      kernel_(builder(chance(25), rows_, columns_)) {
  if (chance(30)) scalars_.push_back(kernel_.scalar("n", 0));
  add_arrays();
  add_statements(0);
  if (chance(80)) add_write();
}

std::int64_t random_launch::number(std::int64_t least, std::int64_t most) {
  return least + std::int64_t(random_() % std::uint32_t(most - least + 1));
}

void random_launch::add_arrays() {
  auto const count = number(1, 3);
  for (std::int64_t place = 0; place < count; ++place) {
    auto const name = "a" + std::to_string(place);
    auto const variable = chance(20) ? "shared" : name;
    auto const height = rows_ + number(0, 2);
    if (chance(30)) {
      arrays_.push_back(kernel_.array(name, variable, {height * columns_}, chance(20) ? number(0, 20) : 0));
    } else {
      arrays_.push_back(
          kernel_.array(name, variable, {height, columns_ + number(0, 1)}, chance(10) ? number(0, 20) : 0));
    }
  }
}

expression random_launch::leaf() {
  auto const what = number(1, 12);
  if (what <= 4) return kernel_.model().dimensions == 1 ? kernel_.x : kernel_.y;
  if (what <= 7) return kernel_.x;
  if (what <= 9 && !counters_.empty())
    return counters_[std::size_t(number(0, std::int64_t(counters_.size()) - 1))];
  if (what == 10 && !scalars_.empty()) return scalars_[0];
  if (what == 11 && chance(30)) return kernel_.unknown();
  return number(-2, 9);
}

expression random_launch::any_index(int depth) {
  auto const what = depth == 0 ? 0 : number(0, 9);
  if (what <= 2) return leaf() + number(-1, 1);
  auto const a = any_index(depth - 1), b = any_index(depth - 1);
  switch (what) {
    case 3:
      return a + b;
    case 4:
      return a - b;
    case 5:
      return a * number(-2, 3);
    case 6:
      return smaller_of(larger_of(a, 0), number(1, 8));
    case 7:
      return a / number(2, 3);
    case 8:
      return a % number(2, 8);
    default:
      return select(any_condition(depth - 1), a, b);
  }
}

condition random_launch::any_condition(int depth) {
  auto const what = number(0, 7);
  if (what == 6 && chance(30)) return kernel_.unknown_choice();
  if (what == 7 && depth > 0) return !(any_condition(depth - 1) && any_condition(depth - 1));
  auto const a = any_index(depth > 0 ? 1 : 0), b = any_index(0);
  if (what <= 2) return a < b;
  return what <= 4 ? a <= b : a != b;
}

template <class Body>
void random_launch::in_loop(Body const& body) {
  auto const first = chance(60) ? expression(number(0, 2)) : any_index(1);
  auto const bound = chance(60) ? expression(columns_) : any_index(1) + 3;
  auto const step = number(1, 3);
  auto const run = [&](expression const& counter) {
    counters_.push_back(counter);
    body();
    counters_.pop_back();
  };
  if (chance(80)) return kernel_.loop(first, bound, step, !chance(10), run);
  kernel_.loop(bound - 1, first - 1, -step, true, run);
}

void random_launch::add_statements(int depth) {
  auto const count = number(1, 3);
  for (std::int64_t place = 0; place < count; ++place) add_statement(depth);
}

void random_launch::add_statement(int depth) {
  auto const what = number(1, 10);
  if (what <= 2 && depth < 2) return in_loop([&] { add_statements(depth + 1); });
  if (what == 3 && depth < 2) return kernel_.when(any_condition(1), [&] { add_statements(depth + 1); });
  if (what == 4 && depth == 0) return kernel_.return_if(any_condition(1));
  what <= 6 ? add_write() : add_read();
}

/// Thread y has row y or so.
expression random_launch::fitting(expression const& thread, std::int64_t threads) {
  auto const what = number(1, 8);
  if (what == 1) return threads - 1 - thread;
  return what == 2 ? thread + number(0, 2) : thread;
}

void random_launch::add_write() {
  auto const array = arrays_[std::size_t(number(0, std::int64_t(arrays_.size()) - 1))];
  bool const is_flat = kernel_.model().arrays[std::size_t(array.place)].extents.size() == 1;
  auto const row = fitting(kernel_.model().dimensions == 1 ? kernel_.x : kernel_.y, rows_);
  auto const column =
      chance(60) ? (kernel_.model().dimensions == 1 ? expression(0) : kernel_.x) : any_index(1);
  if (is_flat) return kernel_.write(array(chance(90) ? row * columns_ + column : any_index(2)));
  kernel_.write(array(chance(90) ? row : any_index(1), column));
}

void random_launch::add_read() {
  auto const array = arrays_[std::size_t(number(0, std::int64_t(arrays_.size()) - 1))];
  bool const is_flat = kernel_.model().arrays[std::size_t(array.place)].extents.size() == 1;
  kernel_.read(is_flat ? array(any_index(2)) : array(any_index(2), any_index(1)));
}

}  // namespace ballast::mesicc
