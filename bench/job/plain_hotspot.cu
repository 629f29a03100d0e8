// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "hotspot/plate.hpp"
#include "hotspot/reference.hpp"
#include "job/plain_array.cuh"
#include "job/plain_cuda.hpp"

namespace ballast::bench {

#if defined(__CUDACC__)
namespace {

using hotspot::plate;

constexpr unsigned columns_of_block = 256, rows_of_block = 8;

/// The factors of a step.
struct single_factors {
  explicit single_factors(hotspot::step_factors const& of)
      : step_by_capacity(float(of.step_by_capacity)),
        by_ry(float(of.by_ry)),
        by_rx(float(of.by_rx)),
        by_rz(float(of.by_rz)) {}
  float step_by_capacity, by_ry, by_rx, by_rz;
};

/// A time step: a block computes 8 rows by 256 columns, and a thread walks down its column, whose cells it
/// keeps in registers. A neighbour beyond the plate is the cell itself.
__global__ void __launch_bounds__(columns_of_block)
    heat(plate of, single_factors by, float const* __restrict__ temperature, float const* __restrict__ power,
         float* __restrict__ next) {
  unsigned const column = blockIdx.x * columns_of_block + threadIdx.x, first = blockIdx.y * rows_of_block;
  if (column >= of.columns) return;
  unsigned const left = column == 0 ? 0 : column - 1, right = min(column + 1, of.columns - 1);
  auto const at = [=](unsigned r, unsigned c) { return temperature[std::size_t(r) * of.columns + c]; };
  float above = at(first == 0 ? 0 : first - 1, column), t = at(first, column);
#  pragma unroll
  for (unsigned i = 0; i < rows_of_block; ++i) {
    unsigned const row = first + i;
    if (row >= of.rows) return;
    float const below = at(min(row + 1, of.rows - 1), column);
    float const lateral =
        (above + below - 2 * t) * by.by_ry + (at(row, left) + at(row, right) - 2 * t) * by.by_rx;
    std::size_t const cell = std::size_t(row) * of.columns + column;
    next[cell] = t + by.step_by_capacity *
                         (power[cell] + lateral + (float(hotspot::ambient_temperature) - t) * by.by_rz);
    above = t;
    t = below;
  }
}

class plain_plate final : public job_program {
 public:
  plain_plate(int gpu, plate const& of, std::uint32_t steps)
      : of_(of),
        steps_(steps),
        temperature_(of.cells()),
        stream_(gpu),
        now_(of.cells()),
        next_(of.cells()),
        power_(of.cells()) {
    hotspot::fill_temperature<float>(of_, temperature_);
    hotspot::fill_power<float>(of_, power_.host());
  }

  void prepare() override {
    stream_.enter();
    std::ranges::copy(temperature_, now_.host().begin());
  }
  void run() override {
    now_.copy_in(stream_);
    power_.copy_in(stream_);
    for (std::uint32_t step = 0; step < steps_; ++step) launch_step();
    now_.copy_out(stream_);
    stream_.synchronize();
  }
  bool is_right() override {
    next_.copy_out(stream_);  // the input of the last step
    stream_.synchronize();
    return hotspot::is_heated<float>({of_, factors_of(of_), next_.host(), power_.host()}, 1, now_.host());
  }
  std::span<std::byte const> result() override { return std::as_bytes(now_.host()); }

 private:
  void launch_step() {
    dim3 const blocks(parts_of(of_.columns, columns_of_block), parts_of(of_.rows, rows_of_block));
    heat<<<blocks, columns_of_block, 0, stream_.get()>>>(of_, factors_, now_.gpu(), power_.gpu(),
                                                         next_.gpu());
    check(cudaGetLastError(), "the launch of heat");
    std::swap(now_, next_);
  }

  plate of_;
  std::uint32_t steps_;
  std::vector<float> temperature_;  ///< initial values
  single_factors factors_{factors_of(of_)};
  plain_stream stream_;  // before the arrays, which are allocated on its GPU
  plain_array<float> now_, next_, power_;
};

}  // namespace

std::unique_ptr<job_program> plain_hotspot(int gpu, plate const& of, std::uint32_t steps) {
  return std::make_unique<plain_plate>(gpu, of, steps);
}
#else
std::unique_ptr<job_program> plain_hotspot(int, hotspot::plate const&, std::uint32_t) { return nullptr; }
#endif

}  // namespace ballast::bench
