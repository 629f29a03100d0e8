// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heat_step.cuh"

namespace ballast::hotspot {
namespace {

/// A plate with a margin of one cell, which repeats the border.
template <class Real>
class framed_plate {
 public:
  framed_plate(plate const& inside, std::span<Real const> cells)
      : inside_(inside), pitch_(std::size_t(inside.columns) + 2), cells_(pitch_ * (inside.rows + 2)) {
    for (std::uint32_t row = 0; row < inside.rows; ++row)
      std::ranges::copy(cells.subspan(std::size_t(row) * inside.columns, inside.columns), row_at(row));
  }

  /// The first cell inside; row numbers may be one outside. Rows are pitch cells apart.
  Real* row_at(std::uint32_t row) { return &cells_[(row + 1) * pitch_ + 1]; }
  std::size_t pitch() const { return pitch_; }

  void repeat_border() {
    for (std::uint32_t row = 0; row < inside_.rows; ++row) {
      auto* const cells = row_at(row);
      cells[-1] = cells[0];
      cells[inside_.columns] = cells[inside_.columns - 1];
    }
    std::copy_n(row_at(0), inside_.columns, row_at(0) - pitch_);
    std::copy_n(row_at(inside_.rows - 1), inside_.columns, row_at(inside_.rows - 1) + pitch_);
  }

  std::vector<Real> inside() {
    std::vector<Real> cells;
    for (std::uint32_t row = 0; row < inside_.rows; ++row)
      cells.insert(cells.end(), row_at(row), row_at(row) + inside_.columns);
    return cells;
  }

 private:
  plate inside_;
  std::size_t pitch_;
  std::vector<Real> cells_;
};

template <class Real>
void step(heated_plate<Real> const& start, framed_plate<Real>& now, framed_plate<Real>& next) {
  cell_factors<Real> const factors(start.factors);
  now.repeat_border();
  auto const columns = static_cast<std::ptrdiff_t>(start.of.columns);
  auto const pitch = static_cast<std::ptrdiff_t>(now.pitch());
  for (std::uint32_t row = 0; row < start.of.rows; ++row) {
    auto const* const t = now.row_at(row);
    auto const* const power = &start.power[std::size_t(row) * start.of.columns];
    auto* const out = next.row_at(row);
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      out[c] = factors.next(power[c], t[c], t[c - pitch], t[c + pitch], t[c - 1], t[c + 1]);
  }
}

}  // namespace

template <class Real>
std::vector<Real> heated(heated_plate<Real> const& start, std::uint32_t steps) {
  framed_plate<Real> now(start.of, start.temperature), next = now;
  for (std::uint32_t i = 0; i < steps; ++i) {
    step(start, now, next);
    std::swap(now, next);
  }
  return now.inside();
}

template std::vector<float> heated(heated_plate<float> const&, std::uint32_t);
template std::vector<double> heated(heated_plate<double> const&, std::uint32_t);

template <class Real>
bool is_heated(heated_plate<Real> const& start, std::uint32_t steps, std::span<Real const> temperature) {
  auto const agree = [](Real a, Real b) { return std::isfinite(a) && a == b; };
  return std::ranges::equal(temperature, heated(start, steps), agree);
}

template <class Real>
std::string checked_cells(std::span<Real const> temperature) {
  auto const without = std::ranges::count_if(temperature, [](Real t) { return !std::isfinite(t); });
  return without == 0 ? "every cell" : fmt::format("every cell ({} are no finite numbers)", without);
}

template std::string checked_cells(std::span<float const>);
template std::string checked_cells(std::span<double const>);
template bool is_heated(heated_plate<float> const&, std::uint32_t, std::span<float const>);
template bool is_heated(heated_plate<double> const&, std::uint32_t, std::span<double const>);

}  // namespace ballast::hotspot
