// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "queue/benchmarks.hpp"
#include "queue/copied_in.hpp"
#include "queue/graph_rivals.cuh"
#include "queue/graph_tasks.cuh"

namespace ballast::bench {
namespace {

constexpr auto side = align_tile::side;

std::vector<std::uint8_t> letters(std::uint32_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> all(count);
  for (auto& one : all) one = std::uint8_t(random() % 4);
  return all;
}

/// The borders of all tiles, scored row by row.
std::vector<std::int32_t> aligned(std::vector<std::uint8_t> const& first,
                                  std::vector<std::uint8_t> const& second) {
  auto const letters = first.size(), tiles = letters / side;
  std::vector<std::int32_t> score(letters + 1), borders(tiles * tiles * align_tile::border);
  for (std::size_t j = 0; j <= letters; ++j) score[j] = align_tile::gap * std::int32_t(j);
  for (std::size_t i = 0; i < letters; ++i) {
    auto through = score[0];
    score[0] = align_tile::gap * std::int32_t(i + 1);
    for (std::size_t j = 0; j < letters; ++j) {
      through += first[i] == second[j] ? align_tile::match : align_tile::mismatch;
      auto const past = std::max(score[j], score[j + 1]) + align_tile::gap;
      score[j + 1] = std::max(std::exchange(through, score[j + 1]), past);
      auto* const border = &borders[(i / side * tiles + j / side) * align_tile::border];
      if (i % side == side - 1) border[j % side] = score[j + 1];
      if (j % side == side - 1) border[side + i % side] = score[j + 1];
    }
  }
  return borders;
}

/// Diagonal by diagonal. A tile is computed once, or if uneven one to ten times.
struct wavefront {
  std::vector<align_tile::place> places;
  levelled_tasks tasks;

  wavefront(std::uint32_t tiles, bool even) {
    std::mt19937 random(3);
    for (std::uint32_t diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
      tasks.begin_level();
      auto const end = std::min(diagonal + 1, tiles);
      for (auto row = diagonal < tiles ? 0 : diagonal - tiles + 1; row < end; ++row)
        add(row, diagonal - row, tiles, even ? 1 : std::uint32_t(1 + random() % 10));
    }
    tasks.begin_level();
  }

 private:
  void add(std::uint32_t row, std::uint32_t column, std::uint32_t tiles, std::uint32_t passes) {
    of_tile_.resize(std::size_t(tiles) * tiles);
    std::vector<std::uint32_t> after;
    if (row > 0) after.push_back(of_tile_[(row - 1) * tiles + column]);
    if (column > 0) after.push_back(of_tile_[row * tiles + column - 1]);
    of_tile_[row * tiles + column] = tasks.add(std::move(after), 5.0 * passes);
    places.push_back({std::uint16_t(row), std::uint16_t(column), passes});
  }

  std::vector<std::uint32_t> of_tile_;
};

/// Two for each SM of a GPU: about as many as have a tile at a time. More would share SMs while others idle.
int workers_of(compute_device const& device) {
  return device.is_cuda() ? 2 * device.properties().multiprocessors : 0;
}

void measure_alignment(session& now, std::uint32_t tiles, bool even) {
  auto const& device = now.first();
  auto const first = letters(tiles * side, 1), second = letters(tiles * side, 2);
  auto const expected = aligned(first, second);
  wavefront made(tiles, even);
  copied_in<std::uint8_t> const one(device, first), other(device, second);
  copied_in<std::int32_t> borders(device, std::vector<std::int32_t>(expected.size(), 1 << 20));
  copied_in<align_tile::place> const places(device, made.places);
  auto const diagonals = made.tasks.levels();
  rival_answer const answer{[&](stream& on) { borders.copy_in(on); },
                            [&](stream& on) { return borders.now(on) == expected; },
                            "the borders of all tiles as one thread scores them"};
  graph_rivals rivals(now, {even ? ", even" : "", double(tiles), "us/diagonal", 1e6 / diagonals,
                            std::move(made.tasks), answer, workers_of(*device)});
  rivals.measure_all(rival(align_kernels(), align_tile{one.constant(), other.constant(), borders.all(),
                                                       places.constant(), tiles}));
  rivals.compare();
}

}  // namespace

/// Not from a paper. A sample is the time of an alignment divided by its diagonals.
void measure_graph_wavefront(session& now) {
  now.axes("Alignment of two sequences in tiles of 32 x 32", "tiles a side", "us/diagonal");
  now.repeat(now.quick() ? 1 : 2, now.quick() ? 2 : 9);
  auto const tiles = std::uint32_t(now.size(now.first()->is_cuda() ? 256 : 64, 8));
  for (bool const even : {false, true}) measure_alignment(now, tiles, even);
}

}  // namespace ballast::bench
