// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <random>

#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/default_stream.hpp"
#include "device/row_kernels.cuh"
#include "device/row_peers.hpp"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

/// Offsets of rows, whose lengths `length` makes of numbers between 0 and 1.
std::vector<std::uint32_t> offsets_of(std::size_t rows, std::function<double(double)> const& length) {
  std::mt19937_64 draw(7);
  std::uniform_real_distribution<double> unit(1e-9, 1);
  std::vector<std::uint32_t> offsets = {0};
  while (offsets.size() <= rows) offsets.push_back(offsets.back() + std::uint32_t(length(unit(draw))));
  return offsets;
}

/// -1 to 1, the same in every run.
float invented(std::uint32_t i) { return float((i * 2654435761u >> 8) % 2001) / 1000 - 1; }

/// A matrix on a device, and its results in double precision.
class invented_matrix {
 public:
  static constexpr std::uint32_t columns = 1 << 20;

  invented_matrix(std::shared_ptr<compute_device> const& device, std::vector<std::uint32_t> const& offsets)
      : rows_(std::uint32_t(offsets.size() - 1)),
        on_(device->make_stream()),
        offsets_(device, offsets.size()),
        column_(device, offsets.back() + 1),
        values_(device, column_.size()),
        x_(device, columns),
        y_(device, rows_),
        seen_(device, rows_),
        carries_(device, rows().shares() + 1) {
    std::vector<std::uint32_t> column(column_.size());
    std::vector<float> values(column.size()), x(columns);
    for (std::uint32_t i = 0; i < column.size(); ++i) column[i] = (i * 2246822519u >> 9) % columns;
    for (std::uint32_t i = 0; i < column.size(); ++i) values[i] = invented(i);
    for (std::uint32_t i = 0; i < columns; ++i) x[i] = invented(i + 5);
    for (bool const product : {false, true}) sum_up(offsets, column, values, x, product);
    fill(offsets_, offsets), fill(column_, column), fill(values_, values), fill(x_, x);
  }

  stream& on() { return *on_; }
  sparse_matrix matrix() {
    return {rows_,
            items(),
            columns,
            array_ref<std::uint32_t const>(offsets_.data()),
            array_ref<float const>(values_.data()),
            array_ref<std::uint32_t const>(column_.data()),
            array_ref<float const>(x_.data()),
            array_ref(y_.data())};
  }
  segments<float> rows() {
    return {array_ref<std::uint32_t const>(offsets_.data() + 1), rows_, items(), array_ref(carries_.data())};
  }
  /// Spoils the results, so that the next way must write them.
  void forget() { on_->fill(y_.data(), 0xff, y_.bytes()); }
  /// Within single precision's errors, by the sum of the absolute values.
  bool is_right(bool product) {
    on_->copy(seen_.data(), y_.data(), y_.bytes());
    on_->synchronize(soon());
    for (std::uint32_t i = 0; i < rows_; ++i)
      if (!(std::fabs(seen_[i] - wanted_[product][i]) <= 1e-4 * sizes_[product][i])) return false;
    return true;
  }

 private:
  std::uint32_t items() const { return std::uint32_t(column_.size() - 1); }
  template <class T>
  void fill(device_buffer<T>& to, std::vector<T> const& from) {
    on_->copy(to.data(), from.data(), to.bytes());
    on_->synchronize(soon());
  }
  void sum_up(std::vector<std::uint32_t> const& offsets, std::vector<std::uint32_t> const& column,
              std::vector<float> const& values, std::vector<float> const& x, bool product) {
    for (std::uint32_t row = 0; row < rows_; ++row) {
      double sum = 0, size = 0;
      for (auto i = offsets[row]; i < offsets[row + 1]; ++i) {
        auto const term = double(values[i]) * (product ? double(x[column[i]]) : 1);
        sum += term;
        size += std::fabs(term);
      }
      wanted_[product].push_back(sum);
      sizes_[product].push_back(size);
    }
  }

  std::uint32_t rows_;
  std::unique_ptr<stream> on_;
  device_buffer<std::uint32_t> offsets_, column_;
  device_buffer<float> values_, x_, y_;
  pinned_buffer<float> seen_;
  device_buffer<segment_carry<float>> carries_;
  std::vector<double> wanted_[2], sizes_[2];  ///< of sums, of products
};

/// Measures one way, in microseconds of the device; nothing if there is no such way here.
void measure_way(session& now, invented_matrix& on, std::string const& name, bool product,
                 enqueue_rows const& enqueue) {
  if (!enqueue) return;
  on.forget();
  device_seconds(on.on(), enqueue);
  now.verify(on.is_right(product), name + " is right");
  now.measure(name, "us", [&] { return 1e6 * device_seconds(on.on(), enqueue); });
}

template <bool Product>
void measure_ways(session& now, invented_matrix& on, std::string const& what) {
  using term_of = row_term<Product>;
  term_of const term{on.matrix()};
  auto const all = term.of.rows;
  auto const rows = on.rows();
  auto& stream = on.on();
  auto const way = [&](std::string const& name, enqueue_rows const& enqueue) {
    measure_way(now, on, what + ", " + name, Product, enqueue);
  };
  way("thread a row", [&] { start(stream, (all + 255) / 256, thread_a_row<term_of>{term}); });
  way("warp a row", [&] { start(stream, (all + 7) / 8, warp_a_row<term_of>{term}); });
  way("block a row", [&] { start(stream, all, block_a_row<term_of>{term}); });
  way("shares", [&] { start_shares(stream, rows, term); });
  way("CUB", sums_by_cub(stream, term.of, Product));
  if (!Product) return;
  way("cuSPARSE, algorithm 1", product_by_cusparse(stream, term.of, false));
  way("cuSPARSE, algorithm 2", product_by_cusparse(stream, term.of, true));
}

void measure_matrix(session& now, std::string const& name, std::function<double(double)> const& length) {
  auto const offsets = offsets_of(now.size(1'000'000, 20'000), length);
  now.parameter("items, " + name, double(offsets.back()));
  invented_matrix on(now.first(), offsets);
  measure_ways<false>(now, on, name + ", sum");
  measure_ways<true>(now, on, name + ", product");
}

}  // namespace

/// Of the power law x^-2, of rows that are all short and even, and of short ones beside one of a million.
void measure_row_sums(session& now) {
  std::optional<default_stream> current;
  if (now.first()->is_cuda()) current.emplace(*now.first());
  now.repeat(2, now.quick() ? 2 : 9);
  measure_matrix(now, "power law", [](double u) { return std::min(1e6, 1 / u); });
  measure_matrix(now, "16 each", [](double) { return 16; });
  measure_matrix(now, "4 each but one", [n = 0](double) mutable { return ++n == 10'000 ? 1e6 : 4; });
}

}  // namespace ballast::bench
