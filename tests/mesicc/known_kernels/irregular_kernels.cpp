// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "launch_builder.hpp"

namespace ballast::mesicc {
namespace {

/// NAS EP: long loops, and a bin that the data decides.
launch_model ep(std::int64_t threads, std::int64_t) {
  launch_builder k("ep", threads);
  auto const sx = k.array("sx", {threads}, 8), sy = k.array("sy", {threads}, 8),
             q = k.array("q", {threads, 10}, 8);
  k.loop(0, 10, [&](expression const& l) { k.write(q(k.x, l)); });
  k.loop(0, 65536, [&](expression const&) {
    k.when(k.unknown_choice(), [&] { k.update(q(k.x, k.unknown("is computed from a double"))); });
  });
  k.write(sx(k.x)), k.write(sy(k.x));
  return k.model();
}

/// A sparse matrix times a vector: rows begin where memory says.
launch_model sparse_product(std::int64_t rows, std::int64_t columns) {
  launch_builder k("sparse_product", rows);
  auto const begin = k.array("begin", {rows + 1}), v = k.array("v", {3 * rows}), c = k.array("c", {3 * rows});
  auto const in = k.array("in", {columns}), out = k.array("out", {rows});
  k.read(begin(k.x)), k.read(begin(k.x + 1));
  auto const bound = k.unknown(), first = k.unknown();
  k.loop(first, bound, [&](expression const& i) { k.read(v(i)), k.read(c(i)), k.read(in(k.unknown())); });
  k.write(out(k.x));
  return k.model();
}

launch_model gather(std::int64_t rows, std::int64_t columns) {
  launch_builder k("gather", columns, rows);
  auto const from = k.array("from", {rows, columns}), s = k.array("s", {rows * columns}),
             d = k.array("d", {rows, columns});
  k.read(from(k.y, k.x)), k.read(s(k.unknown())), k.write(d(k.y, k.x));
  return k.model();
}

/// Of which column is not known; of which row is.
launch_model gather_in_row(std::int64_t rows, std::int64_t columns) {
  launch_builder k("gather_in_row", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s(k.y, k.unknown())), k.write(d(k.y, k.x));
  return k.model();
}

/// Each thread counts into a row of its own.
launch_model histogram_of_rows(std::int64_t rows, std::int64_t columns) {
  launch_builder k("histogram_of_rows", rows);
  auto const a = k.array("a", {rows, columns}), h = k.array("h", {rows, 16});
  k.loop(0, columns, [&](expression const& j) { k.read(a(k.x, j)), k.update(h(k.x, k.unknown())); });
  return k.model();
}

/// `s[flag[y] ? y : max(y - 1, 0)]`: either may be read.
launch_model undecided(std::int64_t rows, std::int64_t columns) {
  launch_builder k("undecided", columns, rows);
  auto const flag = k.array("flag", {rows}), s = k.array("s", {rows, columns}),
             d = k.array("d", {rows, columns});
  k.read(flag(k.y)), k.read(s(select(k.unknown_choice(), k.y, larger_of(k.y - 1, 0)), k.x));
  k.write(d(k.y, k.x));
  return k.model();
}

/// `if (flag[x]) y[x] = 0;`: what is not written has to come back as it was.
launch_model sometimes(std::int64_t rows, std::int64_t) {
  launch_builder k("sometimes", rows);
  auto const flag = k.array("flag", {rows}), d = k.array("d", {rows});
  k.read(flag(k.x));
  k.when(k.unknown_choice(), [&] { k.write(d(k.x)); });
  return k.model();
}

/// What may have been written is read, before it is written for sure.
launch_model sometimes_before(std::int64_t rows, std::int64_t) {
  launch_builder k("sometimes_before", rows);
  auto const d = k.array("d", {rows}), r = k.array("r", {rows});
  k.when(k.unknown_choice(), [&] { k.write(d(k.x)); });
  k.read(d(k.x)), k.write(r(k.x)), k.write(d(k.x));
  return k.model();
}

launch_model search(std::int64_t rows, std::int64_t columns) {
  launch_builder k("search", rows);
  auto const a = k.array("a", {rows, columns}), found = k.array("found", {rows}),
             seen = k.array("seen", {rows, columns});
  k.write(found(k.x));
  k.loop(0, columns, 1, false, [&](expression const& j) { k.read(a(k.x, j)), k.write(seen(k.x, j)); });
  k.write(found(k.x));
  return k.model();
}

/// The number of threads is known when the launch is reached.
launch_model any_number(std::int64_t, std::int64_t) {
  launch_builder k("any_number", 1);
  auto const n = k.scalar("n", 1);
  launch_builder g("any_number", n);
  g.scalar("n", 1);
  auto const s = g.array("s", {n}), d = g.array("d", {n});
  g.read(s(larger_of(g.x - 1, 0))), g.read(s(smaller_of(g.x + 1, n - 1)));
  g.write(d(g.x));
  return g.model();
}

/// `if (x < n)`, and n is an argument.
launch_model some_of_all(std::int64_t rows, std::int64_t) {
  launch_builder k("some_of_all", rows);
  auto const n = k.scalar("n", 0);
  auto const s = k.array("s", {rows}), d = k.array("d", {rows});
  k.return_if(k.x >= n);
  k.read(s(k.x)), k.write(d(k.x));
  return k.model();
}

/// `shift<<[n]>>(a + 8, d)`
launch_model from_an_offset(std::int64_t rows, std::int64_t) {
  launch_builder k("from_an_offset", rows);
  auto const s = k.array("s", "a", {rows}, 8), d = k.array("d", "d", {rows + 2});
  k.read(s(k.x - 3)), k.read(s(k.x)), k.write(d(k.x + 2));
  return k.model();
}

/// The two halves of one array.
launch_model halves_of_one(std::int64_t rows, std::int64_t columns) {
  launch_builder k("halves_of_one", columns, rows);
  auto const low = k.array("low", "a", {rows, columns}),
             high = k.array("high", "a", {rows, columns}, rows * columns);
  k.read(low(k.y, k.x)), k.write(high(k.y, k.x));
  return k.model();
}

/// One array as two arguments, of which each thread uses its own elements.
launch_model same_twice(std::int64_t rows, std::int64_t columns) {
  launch_builder k("same_twice", columns, rows);
  auto const s = k.array("s", "a", {rows, columns}), d = k.array("d", "a", {rows, columns});
  k.read(s(k.y, k.x)), k.write(d(k.y, k.x));
  return k.model();
}

/// What is written through one argument and then read through the other.
launch_model written_then_read_elsewhere(std::int64_t rows, std::int64_t) {
  launch_builder k("written_then_read_elsewhere", rows);
  auto const in = k.array("in", "a", {rows}), out = k.array("out", "a", {rows});
  k.write(out(k.x)), k.read(in(k.x));
  return k.model();
}

/// Nobody knows at translation which array it is, nor how long.
launch_model of_unknown_length(std::int64_t rows, std::int64_t columns) {
  launch_builder k("of_unknown_length", columns, rows);
  auto const s = k.array("s", "", {k.unknown("is a pointer"), columns}),
             d = k.array("d", "", {k.unknown("is a pointer"), columns});
  k.read(s(k.y + 1, k.x)), k.write(d(k.y, k.x));
  return k.model();
}

/// A pointer into the middle of something, with a halo on either side.
launch_model around_a_pointer(std::int64_t rows, std::int64_t) {
  launch_builder k("around_a_pointer", rows);
  auto const nowhere = k.unknown("is a pointer");
  auto const s = k.array("s", "", {nowhere}, nowhere), d = k.array("d", "", {nowhere}, nowhere);
  k.read(s(k.x - 1)), k.read(s(k.x + 1)), k.write(d(k.x));
  return k.model();
}

launch_model gather_around_a_pointer(std::int64_t rows, std::int64_t) {
  launch_builder k("gather_around_a_pointer", rows);
  auto const nowhere = k.unknown("is a pointer");
  auto const s = k.array("s", "", {nowhere}, nowhere), d = k.array("d", "", {nowhere}, nowhere);
  k.read(s(k.unknown())), k.write(d(k.x));
  return k.model();
}

}  // namespace

std::vector<known_kernel> irregular_kernels() {
  return {{"ep", ep},
          {"sparse_product", sparse_product},
          {"gather", gather},
          {"gather_in_row", gather_in_row},
          {"histogram_of_rows", histogram_of_rows},
          {"undecided", undecided},
          {"sometimes", sometimes},
          {"sometimes_before", sometimes_before},
          {"search", search},
          {"any_number", any_number},
          {"some_of_all", some_of_all},
          {"from_an_offset", from_an_offset},
          {"halves_of_one", halves_of_one},
          {"same_twice", same_twice},
          {"written_then_read_elsewhere", written_then_read_elsewhere},
          {"of_unknown_length", of_unknown_length},
          {"around_a_pointer", around_a_pointer},
          {"gather_around_a_pointer", gather_around_a_pointer}};
}

}  // namespace ballast::mesicc
