#include <ballast/mesi/mesi.cuh>
#line 1 "hotspot.mcu"
// SPDX-License-Identifier: Apache-2.0
// Rodinia's hotspot, the temperature of a chip over time, with a check. -D ROWS=8192 -D COLUMNS=8192 -D STEPS=1000 is the
// paper's size.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#ifndef ROWS
#  define ROWS 96
#endif
#ifndef COLUMNS
#  define COLUMNS 80
#endif
#ifndef STEPS
#  define STEPS 50
#endif

ballast::mesi::variable<float[ROWS][COLUMNS]> first{"first"}, second{"second"}, power{"power"};

struct rates { float time, vertical, horizontal, upward; };

// A neighbour beyond the chip is the cell itself.
BALLAST_HD void step(ballast::mesi::thread_id lThreadId, const float t[][COLUMNS], const float p[][COLUMNS], float next[][COLUMNS], rates by) {
  const int r = lThreadId.y, c = lThreadId.x;
  const int above = std::max(r - 1, 0), below = std::min(r + 1, ROWS - 1);
  const int left = std::max(c - 1, 0), right = std::min(c + 1, COLUMNS - 1);
  const float lateral = (t[above][c] + t[below][c] - 2 * t[r][c]) * by.vertical +
                        (t[r][left] + t[r][right] - 2 * t[r][c]) * by.horizontal;
  next[r][c] = t[r][c] + by.time * (p[r][c] + lateral + (80 - t[r][c]) * by.upward);
}
#line 1 "hotspot.mcu, launch in line 85"
namespace {
struct step_85 {
  const float (*t)[80];
  const float (*p)[80];
  float (*next)[80];
  rates by;
  static constexpr char name[] = "step";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    step(lThreadId, t, p, next, by);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(t, "t", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 80 * part.begin - 80), std::min<std::int64_t>(7680, 80 * part.end + 80)}}; }),
                      of.reads(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{80 * part.begin, 80 * part.end}}; }),
                      of.writes(next, "next", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{80 * part.begin, 80 * part.end}}; }));
  }
  void bind(auto t_here, auto p_here, auto next_here) {
    t = ballast::mesi::biased(t, t_here);
    p = ballast::mesi::biased(p, p_here);
    next = ballast::mesi::biased(next, next_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(t); f(p); f(next); }
};
}  // namespace
#line 34 "hotspot.mcu"

// Rodinia's constants, on a chip that grows with more than 1024 cells to a side: else its steps are unstable.
rates rates_of_chip() {
  const int side = std::max(ROWS, COLUMNS);
  const double edge = side > 1024 ? 0.016 * side / 1024 : 0.016, height = edge / ROWS, width = edge / COLUMNS;
  const double thickness = 0.0005, heat = 1.75e6, conductivity = 100, part = 0.5;
  const double capacity = part * heat * thickness * width * height;
  const double rx = width / (2 * conductivity * thickness * height), ry = height / (2 * conductivity * thickness * width);
  const double rz = thickness / (conductivity * height * width), steepest = 3e6 / (part * thickness * heat);
  return {float(0.001 / steepest / capacity), float(1 / ry), float(1 / rx), float(1 / rz)};
}

void fill() {
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) {
      first.update()[r][c] = 324 + float((37 * r + 101 * c) % 64) / 16;
      power.update()[r][c] = float((7 * r + 13 * c) % 11) / 65536;
    }
}

// The last step again, by one thread. A GPU may round differently.
int wrong_cells(const float t[][COLUMNS], const float p[][COLUMNS], const float next[][COLUMNS], rates by) {
  int wrong = 0;
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) {
      const auto at = [&](int y, int x) { return double(t[std::clamp(y, 0, ROWS - 1)][std::clamp(x, 0, COLUMNS - 1)]); };
      const double lateral = (at(r - 1, c) + at(r + 1, c) - 2 * at(r, c)) * by.vertical +
                             (at(r, c - 1) + at(r, c + 1) - 2 * at(r, c)) * by.horizontal;
      const double expected = at(r, c) + by.time * (p[r][c] + lateral + (80 - at(r, c)) * by.upward);
      wrong += !(std::fabs(next[r][c] - expected) < 1e-3);
    }
  return wrong;
}

// Of all bits (FNV-1a).
unsigned long long hash(const float t[][COLUMNS]) {
  unsigned long long sum = 14695981039346656037ull;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    unsigned bits;
    std::memcpy(&bits, &t[i / COLUMNS][i % COLUMNS], sizeof bits);
    sum = (sum ^ bits) * 1099511628211ull;
  }
  return sum;
}

int main() {
  fill();
  const rates by = rates_of_chip();
  float(*now)[COLUMNS] = first.address(), (*next)[COLUMNS] = second.address();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < STEPS; ++i) {
    ballast::mesi::launch<step_85>(ballast::mesi::threads(COLUMNS, ROWS), now, power.address(), next, by);
    std::swap(now, next);
  }
  const float corner = ballast::mesi::host(now)[0][0];  // waits for all steps
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%.6f s, corner at %f\n", took.count(), corner);
  const int wrong = wrong_cells(ballast::mesi::host(next), power.read(), ballast::mesi::host(now), by);
  std::printf("%s, %016llx\n", wrong == 0 ? "right" : "wrong", hash(ballast::mesi::host(now)));
  return wrong == 0 ? 0 : 1;
}

BALLAST_MESI_KERNELS(step_85)
