// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "launch_builder.hpp"

namespace ballast::mesicc {
namespace {

/// Ohno et al. 2016, Fig. 3.
launch_model matmul(std::int64_t n, std::int64_t columns) {
  launch_builder k("matmul", columns, n);
  auto const a = k.array("a", {n, n}), b = k.array("b", {n, columns}), c = k.array("c", {n, columns});
  k.write(c(k.y, k.x));
  k.loop(0, n, [&](expression const& i) {
    k.read(a(k.y, i)), k.read(b(i, k.x));
    k.update(c(k.y, k.x));
  });
  return k.model();
}

launch_model saxpy(std::int64_t rows, std::int64_t) {
  launch_builder k("saxpy", rows);
  auto const x = k.array("x", {rows}), y = k.array("y", {rows});
  k.read(x(k.x)), k.update(y(k.x));
  return k.model();
}

launch_model copy_after_early_return(std::int64_t rows, std::int64_t columns) {
  launch_builder k("copy_some", columns + 3, rows + 2);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.return_if(k.x >= columns || k.y >= rows);
  k.read(s(k.y, k.x)), k.write(d(k.y, k.x));
  return k.model();
}

/// Only y as the slowest dimension of d makes one range of what a task writes.
launch_model transpose(std::int64_t rows, std::int64_t columns) {
  launch_builder k("transpose", columns, rows);
  auto const s = k.array("s", {columns, rows}), d = k.array("d", {rows, columns});
  k.read(s(k.x, k.y)), k.write(d(k.y, k.x));
  return k.model();
}

launch_model transpose_along_x(std::int64_t rows, std::int64_t columns) {
  launch_builder k("transpose_along_x", rows, columns);
  auto const s = k.array("s", {columns, rows}), d = k.array("d", {rows, columns});
  k.read(s(k.y, k.x)), k.write(d(k.x, k.y));
  return k.model();
}

launch_model reversed(std::int64_t rows, std::int64_t columns) {
  launch_builder k("reversed", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s(k.y, k.x)), k.write(d(rows - 1 - k.y, columns - 1 - k.x));
  return k.model();
}

launch_model triangular(std::int64_t rows, std::int64_t) {
  launch_builder k("triangular", rows);
  auto const a = k.array("a", {rows, rows}), v = k.array("v", {rows}), r = k.array("r", {rows});
  k.write(r(k.x));
  k.loop(0, k.x + 1, [&](expression const& i) { k.read(a(k.x, i)), k.read(v(i)), k.update(r(k.x)); });
  return k.model();
}

/// `for (j = x; j < columns; j += 4)`, as a block's threads would.
launch_model strided(std::int64_t rows, std::int64_t columns) {
  launch_builder k("strided", 4, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.loop(k.x, columns, 4, true, [&](expression const& j) { k.read(s(k.y, j)), k.write(d(k.y, j)); });
  return k.model();
}

launch_model row_sums(std::int64_t rows, std::int64_t columns) {
  launch_builder k("row_sums", rows);
  auto const a = k.array("a", {rows, columns}), s = k.array("s", {rows}, 8);
  k.loop(columns - 1, -1, -1, true, [&](expression const& j) { k.read(a(k.x, j)), k.update(s(k.x)); });
  return k.model();
}

launch_model column_sums(std::int64_t rows, std::int64_t columns) {
  launch_builder k("column_sums", columns);
  auto const a = k.array("a", {rows, columns}), s = k.array("s", {columns}, 8);
  k.write(s(k.x));
  k.loop(0, rows, [&](expression const& i) { k.read(a(i, k.x)), k.update(s(k.x)); });
  return k.model();
}

/// Row y of d from row (y + 3) % rows.
launch_model rotated_rows(std::int64_t rows, std::int64_t columns) {
  launch_builder k("rotated_rows", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s((k.y + 3) % rows, k.x)), k.write(d(k.y, k.x));
  return k.model();
}

launch_model halved(std::int64_t rows, std::int64_t columns) {
  launch_builder k("halved", columns, rows);
  auto const fine = k.array("fine", {2 * rows, 2 * columns}), coarse = k.array("coarse", {rows, columns});
  for (int i : {0, 1}) k.read(fine(2 * k.y + i, 2 * k.x)), k.read(fine(2 * k.y + i, 2 * k.x + 1));
  k.write(coarse(k.y, k.x));
  return k.model();
}

launch_model doubled(std::int64_t rows, std::int64_t columns) {
  launch_builder k("doubled", columns, rows);
  auto const coarse = k.array("coarse", {(rows + 1) / 2, (columns + 1) / 2}),
             fine = k.array("fine", {rows, columns});
  k.read(coarse(k.y / 2, k.x / 2)), k.write(fine(k.y, k.x));
  return k.model();
}

/// One thread for a pair of rows of d; each second element stays as it is.
launch_model every_second(std::int64_t rows, std::int64_t columns) {
  launch_builder k("every_second", columns, rows);
  auto const d = k.array("d", {rows, 2 * columns});
  k.write(d(k.y, 2 * k.x));
  return k.model();
}

/// `for (j = 0; j < columns; j += 3) d[x][j] = 0;`: the others stay as they are.
launch_model every_third_of_row(std::int64_t rows, std::int64_t columns) {
  launch_builder k("every_third_of_row", rows);
  auto const d = k.array("d", {rows, columns});
  k.loop(0, columns, 3, true, [&](expression const& j) { k.write(d(k.x, j)); });
  return k.model();
}

launch_model bodies(std::int64_t rows, std::int64_t) {
  launch_builder k("bodies", rows);
  auto const p = k.array("p", {rows, 3}), v = k.array("v", {rows, 3});
  k.loop(0, rows, [&](expression const& j) {
    for (int i : {0, 1, 2}) k.read(p(j, i)), k.read(p(k.x, i)), k.update(v(k.x, i));
  });
  return k.model();
}

/// Step i of Gauss's elimination: what is read of row i is written by nobody.
launch_model elimination(std::int64_t rows, std::int64_t) {
  launch_builder k("elimination", rows, rows);
  auto const a = k.array("a", {rows, rows});
  auto const i = k.scalar("i", 0);
  k.return_if(k.y <= i || k.x <= i);
  k.read(a(k.y, k.x)), k.read(a(k.y, i)), k.read(a(i, k.x));
  k.write(a(k.y, k.x));
  return k.model();
}

/// Walks over all rows by one pointer.
launch_model pointer_walk(std::int64_t rows, std::int64_t columns) {
  launch_builder k("pointer_walk", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s(k.y * columns + k.x)), k.write(d(k.y * columns + k.x));
  return k.model();
}

}  // namespace

std::vector<known_kernel> plain_kernels() {
  return {{"matmul", matmul},
          {"saxpy", saxpy},
          {"copy_after_early_return", copy_after_early_return},
          {"transpose", transpose},
          {"transpose_along_x", transpose_along_x},
          {"reversed", reversed},
          {"triangular", triangular},
          {"strided", strided},
          {"row_sums", row_sums},
          {"column_sums", column_sums},
          {"rotated_rows", rotated_rows},
          {"halved", halved},
          {"doubled", doubled},
          {"every_second", every_second},
          {"every_third_of_row", every_third_of_row},
          {"bodies", bodies},
          {"elimination", elimination},
          {"pointer_walk", pointer_walk}};
}

}  // namespace ballast::mesicc
