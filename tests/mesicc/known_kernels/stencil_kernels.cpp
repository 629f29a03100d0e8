// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "launch_builder.hpp"

namespace ballast::mesicc {
namespace {

/// `y == 0 ? 0 : y - 1` and so on.
launch_model hotspot(std::int64_t rows, std::int64_t columns) {
  launch_builder k("hotspot", columns, rows);
  auto const src = k.array("src", {rows, columns}), power = k.array("power", {rows, columns}),
             dst = k.array("dst", {rows, columns});
  auto const up = select(k.y == 0, 0, k.y - 1), down = select(k.y == rows - 1, rows - 1, k.y + 1);
  auto const left = select(k.x == 0, 0, k.x - 1), right = select(k.x == columns - 1, columns - 1, k.x + 1);
  k.read(src(k.y, k.x)), k.read(src(up, k.x)), k.read(src(down, k.x)), k.read(src(k.y, left)),
      k.read(src(k.y, right));
  k.read(power(k.y, k.x)), k.write(dst(k.y, k.x));
  return k.model();
}

/// With std::min and std::max.
launch_model clamped(std::int64_t rows, std::int64_t columns) {
  launch_builder k("clamped", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s(larger_of(k.y - 1, 0), k.x)), k.read(s(smaller_of(k.y + 1, rows - 1), k.x));
  k.read(s(k.y, larger_of(k.x - 1, 0))), k.read(s(k.y, smaller_of(k.x + 1, columns - 1)));
  k.write(d(k.y, k.x));
  return k.model();
}

/// Linear indices, early return and `if (y > 0)`.
launch_model guarded(std::int64_t rows, std::int64_t columns) {
  launch_builder k("guarded", columns, rows);
  auto const s = k.array("s", {rows * columns}), d = k.array("d", {rows * columns});
  auto const here = k.y * columns + k.x;
  k.return_if(k.x >= columns || k.y >= rows);
  k.read(s(here));
  k.when(k.y > 0, [&] { k.read(s(here - columns)); });
  k.when(k.y < rows - 1, [&] { k.read(s(here + columns)); });
  k.when(k.x > 0, [&] { k.read(s(here - 1)); });
  k.when(k.x < columns - 1, [&] { k.read(s(here + 1)); });
  k.write(d(here));
  return k.model();
}

launch_model interior(std::int64_t rows, std::int64_t columns) {
  launch_builder k("interior", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.when(k.x > 0 && k.x < columns - 1 && k.y > 0 && k.y < rows - 1, [&] {
    k.read(s(k.y - 1, k.x)), k.read(s(k.y + 1, k.x)), k.read(s(k.y, k.x - 1)), k.read(s(k.y, k.x + 1));
    k.write(d(k.y, k.x));
  });
  return k.model();
}

launch_model periodic(std::int64_t rows, std::int64_t columns) {
  launch_builder k("periodic", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.read(s((k.y - 1 + rows) % rows, k.x)), k.read(s((k.y + 1) % rows, k.x));
  k.read(s(k.y, (k.x - 1 + columns) % columns)), k.read(s(k.y, (k.x + 1) % columns));
  k.write(d(k.y, k.x));
  return k.model();
}

launch_model line(std::int64_t rows, std::int64_t) {
  launch_builder k("line", rows);
  auto const s = k.array("s", {rows}), d = k.array("d", {rows});
  k.read(s(larger_of(k.x - 1, 0))), k.read(s(k.x)), k.read(s(smaller_of(k.x + 1, rows - 1)));
  k.write(d(k.x));
  return k.model();
}

/// Of three dimensions; a thread has a column of cells.
launch_model column_of_cells(std::int64_t rows, std::int64_t columns) {
  launch_builder k("column_of_cells", columns, rows);
  auto const s = k.array("s", {rows, columns, 5}), d = k.array("d", {rows, columns, 5});
  k.loop(0, 5, [&](expression const& z) {
    k.read(s(larger_of(k.y - 1, 0), k.x, z)), k.read(s(smaller_of(k.y + 1, rows - 1), k.x, z));
    k.read(s(k.y, larger_of(k.x - 1, 0), z)), k.read(s(k.y, smaller_of(k.x + 1, columns - 1), z));
    k.read(s(k.y, k.x, larger_of(z - 1, 0))), k.read(s(k.y, k.x, smaller_of(z + 1, 4)));
    k.write(d(k.y, k.x, z));
  });
  return k.model();
}

/// A box of 5 x 5, cut off by the bounds of the loops.
launch_model box(std::int64_t rows, std::int64_t columns) {
  launch_builder k("box", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.loop(larger_of(k.y - 2, 0), smaller_of(k.y + 3, rows), [&](expression const& i) {
    k.loop(larger_of(k.x - 2, 0), smaller_of(k.x + 3, columns),
           [&](expression const& j) { k.read(s(i, j)); });
  });
  k.write(d(k.y, k.x));
  return k.model();
}

/// Clamps the point, not the loop.
launch_model clamped_box(std::int64_t rows, std::int64_t columns) {
  launch_builder k("clamped_box", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.loop(-8, 9, [&](expression const& i) {
    auto const row = smaller_of(larger_of(k.y + i, 0), rows - 1);
    k.loop(-8, 9,
           [&](expression const& j) { k.read(s(row, smaller_of(larger_of(k.x + j, 0), columns - 1))); });
  });
  k.write(d(k.y, k.x));
  return k.model();
}

/// 27 points of three dimensions, each clamped.
launch_model cube(std::int64_t rows, std::int64_t columns) {
  launch_builder k("cube", columns, rows);
  auto const s = k.array("s", {rows, columns, 4}), d = k.array("d", {rows, columns, 4});
  auto const clamped = [](expression const& index, std::int64_t size) {
    return smaller_of(larger_of(index, 0), size - 1);
  };
  k.loop(0, 4, [&](expression const& z) {
    for (int point = 0; point < 27; ++point) {
      auto const row = clamped(k.y + (point / 9 - 1), rows),
                 column = clamped(k.x + (point / 3 % 3 - 1), columns);
      k.read(s(row, column, clamped(z + (point % 3 - 1), 4)));
    }
    k.write(d(k.y, k.x, z));
  });
  return k.model();
}

launch_model periodic_box(std::int64_t rows, std::int64_t columns) {
  launch_builder k("periodic_box", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  for (int point = 0; point < 25; ++point) {
    k.read(s((k.y + (point / 5 - 2) + 2 * rows) % rows, (k.x + (point % 5 - 2) + 2 * columns) % columns));
  }
  k.write(d(k.y, k.x));
  return k.model();
}

/// The cells of one colour; the others stay as they are.
launch_model red_and_black(std::int64_t rows, std::int64_t columns) {
  launch_builder k("red_and_black", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  k.when((k.x + k.y) % 2 == 0 && k.y > 0 && k.y < rows - 1, [&] {
    k.read(s(k.y - 1, k.x)), k.read(s(k.y + 1, k.x));
    k.write(d(k.y, k.x));
  });
  return k.model();
}

/// Copies the border, computes the rest.
launch_model with_border(std::int64_t rows, std::int64_t columns) {
  launch_builder k("with_border", columns, rows);
  auto const s = k.array("s", {rows, columns}), d = k.array("d", {rows, columns});
  auto const inside = k.x > 0 && k.x < columns - 1 && k.y > 0 && k.y < rows - 1;
  k.when(inside, [&] { k.read(s(k.y - 1, k.x)), k.read(s(k.y + 1, k.x)), k.write(d(k.y, k.x)); });
  k.when(!inside, [&] { k.read(s(k.y, k.x)), k.write(d(k.y, k.x)); });
  return k.model();
}

}  // namespace

std::vector<known_kernel> stencil_kernels() {
  return {{"hotspot", hotspot},
          {"clamped", clamped},
          {"guarded", guarded},
          {"interior", interior},
          {"periodic", periodic},
          {"line", line},
          {"column_of_cells", column_of_cells},
          {"box", box},
          {"clamped_box", clamped_box},
          {"cube", cube},
          {"periodic_box", periodic_box},
          {"red_and_black", red_and_black},
          {"with_border", with_border}};
}

}  // namespace ballast::mesicc
