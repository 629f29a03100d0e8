// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "launch_builder.hpp"

namespace ballast::mesicc {
namespace {

launch_model scatter(std::int64_t rows, std::int64_t) {
  launch_builder k("scatter", rows);
  auto const ix = k.array("ix", {rows}), x = k.array("x", {rows}), y = k.array("y", {rows});
  k.read(ix(k.x)), k.read(x(k.x)), k.write(y(k.unknown()));
  return k.model();
}

launch_model overlapping(std::int64_t rows, std::int64_t) {
  launch_builder k("overlapping", rows);
  auto const d = k.array("d", {rows + 1});
  k.write(d(k.x)), k.write(d(k.x + 1));
  return k.model();
}

launch_model all_write_one(std::int64_t rows, std::int64_t columns) {
  launch_builder k("all_write_one", columns, rows);
  auto const d = k.array("d", {rows, columns});
  k.write(d(0, 0));
  return k.model();
}

launch_model in_place(std::int64_t rows, std::int64_t columns) {
  launch_builder k("in_place", columns, rows);
  auto const t = k.array("t", {rows, columns});
  k.read(t(larger_of(k.y - 1, 0), larger_of(k.x - 1, 0))), k.write(t(k.y, k.x));
  return k.model();
}

/// Notes P10.
launch_model transpose_in_place(std::int64_t rows, std::int64_t) {
  launch_builder k("transpose_in_place", rows, rows);
  auto const s = k.array("s", "m", {rows, rows}), d = k.array("d", "m", {rows, rows});
  k.read(s(k.x, k.y)), k.write(d(k.y, k.x));
  return k.model();
}

/// No cell is read that is written, but such cells lie between those that are.
launch_model red_and_black_in_place(std::int64_t rows, std::int64_t columns) {
  launch_builder k("red_and_black_in_place", columns, rows);
  auto const t = k.array("t", {rows, columns});
  k.when((k.x + k.y) % 2 == 0 && k.y > 0 && k.y < rows - 1,
         [&] { k.read(t(k.y - 1, k.x)), k.read(t(k.y + 1, k.x)), k.write(t(k.y, k.x)); });
  return k.model();
}

launch_model down_the_columns(std::int64_t rows, std::int64_t columns) {
  launch_builder k("down_the_columns", columns);
  auto const a = k.array("a", {rows, columns});
  k.loop(1, rows, [&](expression const& i) { k.read(a(i - 1, k.x)), k.write(a(i, k.x)); });
  return k.model();
}

launch_model by_an_unknown_width(std::int64_t rows, std::int64_t columns) {
  launch_builder k("by_an_unknown_width", columns, rows);
  auto const width = k.scalar("width", 1);
  auto const d = k.array("d", {rows * columns});
  k.write(d(k.y * width + k.x));
  return k.model();
}

launch_model shifted_onto_itself(std::int64_t rows, std::int64_t) {
  launch_builder k("shifted_onto_itself", rows - 1);
  auto const from = k.array("from", "a", {rows - 1}, 1), to = k.array("to", "a", {rows});
  k.read(from(k.x)), k.write(to(k.x));
  return k.model();
}

launch_model pairs_share(std::int64_t rows, std::int64_t) {
  launch_builder k("pairs_share", rows);
  auto const d = k.array("d", {rows});
  k.write(d(k.x / 2));
  return k.model();
}

launch_model gathers_what_it_writes(std::int64_t rows, std::int64_t) {
  launch_builder k("gathers_what_it_writes", rows);
  auto const a = k.array("a", {rows});
  k.read(a(k.unknown())), k.write(a(k.x));
  return k.model();
}

}  // namespace

std::vector<known_kernel> refused_kernels() {
  return {{"scatter", scatter},
          {"overlapping", overlapping},
          {"all_write_one", all_write_one},
          {"in_place", in_place},
          {"transpose_in_place", transpose_in_place},
          {"red_and_black_in_place", red_and_black_in_place},
          {"down_the_columns", down_the_columns},
          {"by_an_unknown_width", by_an_unknown_width},
          {"shifted_onto_itself", shifted_onto_itself},
          {"pairs_share", pairs_share},
          {"gathers_what_it_writes", gathers_what_it_writes}};
}

std::vector<known_kernel> accepted_kernels() {
  auto all = plain_kernels();
  for (auto const& more : {stencil_kernels(), irregular_kernels()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace ballast::mesicc
