// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/tile_kernels.hpp"
#include "device/tile_runner.hpp"

namespace ballast::bench {
namespace {

/// Values in host memory, and their copy on the device.
template <class T>
class host_and_device {
 public:
  host_and_device(std::shared_ptr<compute_device> const& device, std::size_t count)
      : host_(device, count), device_(device, count) {}

  auto host() { return host_.span(); }
  T* on_device() { return device_.data(); }
  void copy_in(stream& work) {
    work.copy(device_.data(), host_.data(), host_.bytes());
    work.synchronize(soon());
  }

 private:
  pinned_buffer<T> host_;
  device_buffer<T> device_;
};

float value_from(std::mt19937& random) { return float(random() % 2001) / 1000 - 1; }

/// The product whose blocks share a table, in all ways.
class table_runs {
 public:
  /// `count`: tiles.
  table_runs(session& now, unsigned count)
      : now_(&now),
        count_(count),
        runner_(now, count),
        table_(now.first(), table_tiles::values),
        vector_(now.first(), table_tiles::max_columns),
        elements_(now.first(), std::size_t(table_tiles::distinct) * table_tiles::max_columns),
        product_(now.first(), std::size_t(count) * table_tiles::threads),
        last_rows_(now.first(), table_tiles::distinct) {
    std::mt19937 random(59);
    for (auto& value : table_.host()) value = value_from(random);
    for (auto& value : vector_.host()) value = value_from(random);
    for (auto& element : elements_.host()) element = std::uint16_t(random() % table_tiles::values);
    table_.copy_in(runner_.work());
    vector_.copy_in(runner_.work());
    elements_.copy_in(runner_.work());
  }

  void measure(unsigned columns) {
    tiles_ = {
        columns,        runner_.visits(), table_.on_device(), elements_.on_device(), vector_.on_device(),
        product_.data()};
    auto const whole = runner_.seconds(tiles_, count_, tile_way::fixed_shares, 1e-5);
    auto const tile = whole * runner_.workers(tiles_) / count_;
    auto const times = measure_in_turn(
        *now_, "", columns, [&](tile_way way) { return runner_.seconds(tiles_, count_, way, tile); });
    runner_.verify(count_);
    verify_product();
    for (auto const way : {tile_way::plain_grid, tile_way::fixed_shares})
      now_->derived("for_each_block, " + std::to_string(columns) + " columns: " + std::string(name_of(way)) +
                        " over it",
                    median_of(times, way) / median_of(times, tile_way::with_quantum));
  }

 private:
  void verify_product() {
    auto const first = std::size_t(count_) * table_tiles::threads - last_rows_.size();
    runner_.work().copy(last_rows_.data(), product_.data() + first, last_rows_.bytes());
    runner_.work().synchronize(soon());
    double worst = 0;
    for (std::size_t i = 0; i < last_rows_.size(); ++i)
      worst = std::max(worst, std::abs(double(last_rows_[i]) - row((first + i) % table_tiles::distinct)));
    now_->verify(worst < 1e-3, "the last rows of the product are those in double precision");
  }
  double row(std::size_t of) {
    double sum = 0;
    for (std::size_t column = 0; column < tiles_.columns; ++column) {
      auto const element = elements_.host()[column * table_tiles::distinct + of];
      sum += double(table_.host()[element]) * double(vector_.host()[column]);
    }
    return sum;
  }

  session* now_;
  unsigned count_;
  tile_runner runner_;
  host_and_device<float> table_, vector_;
  host_and_device<std::uint16_t> elements_;
  device_buffer<float> product_;
  pinned_buffer<float> last_rows_;
  table_tiles tiles_{};
};

}  // namespace

void measure_table_tiles(session& now) {
  now.axes("A product whose blocks share a table", "columns", "us", true, true);
  now.repeat(1, now.quick() ? 2 : 7);
  table_runs runs(now, unsigned(now.size(105'600, 5'280)));
  for (auto const columns : {16u, 64u, 512u}) runs.measure(columns);
}

}  // namespace ballast::bench
