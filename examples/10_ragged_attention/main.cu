// SPDX-License-Identifier: Apache-2.0
// Attention of one query to sequences of 1 to 8000 tokens: a block takes a piece of a sequence, and the last
// block of a sequence combines what its pieces found.
#include <ballast/balanced_queue.hpp>
#include <ballast/kernels.cuh>
#include <ballast/segments.cuh>
#include <cmath>
#include <cstdio>
#include <random>

constexpr unsigned size = 64, max_items = 512;  // numbers of a token; tokens of a piece

struct attention {     // of some tokens
  float most, weight;  // the greatest score; the sum of the weights, relative to it
  float values[size];  // the weighted sum
};

struct attend {
  static constexpr int threads = 64;
  struct scratch {
    float weights[max_items];
  };
  ballast::array_ref<ballast::piece const> pieces;
  ballast::array_ref<float const> query, keys, values;
  ballast::array_ref<attention> parts;    // of each piece
  ballast::array_ref<unsigned> counters;  // of each sequence, zero
  ballast::array_ref<float> results;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = pieces[block.index()];
    read(block, mine, parts[block.index()]);
    if (ballast::is_last_of(block, mine, counters)) combine(block, &parts[mine.first], mine);
  }
  template <class Block>
  BALLAST_HD void read(Block& block, ballast::piece const& mine, attention& part) const {
    auto const first = mine.begin * size;
    unsigned const tokens = unsigned(mine.end - mine.begin);
    float* const weights = block.scratch().weights;
    float const most = block.reduce(
        tokens, -1e30f,
        [&](unsigned token) {
          float score = 0;
          for (unsigned i = 0; i < size; ++i) score += query[i] * keys[first + token * size + i];
          return weights[token] = score;
        },
        ballast::maximum());
    float const weight = block.reduce(
        tokens, 0.0f, [&](unsigned token) { return weights[token] = std::exp(weights[token] - most); });
    block.for_each(size, [&](unsigned i) {
      float sum = 0;
      for (unsigned token = 0; token < tokens; ++token)
        sum += weights[token] * values[first + token * size + i];
      part.values[i] = sum;
      if (i == 0) part.most = most, part.weight = weight;
    });
  }
  template <class Block>
  BALLAST_HD void combine(Block& block, attention const* of, ballast::piece const& mine) const {
    block.for_each(size, [&](unsigned i) {
      float most = -1e30f, weight = 0, value = 0;
      for (unsigned k = 0; k < mine.of; ++k) most = ballast::maximum()(most, of[k].most);
      for (unsigned k = 0; k < mine.of; ++k) {
        float const scale = std::exp(of[k].most - most);
        weight += scale * of[k].weight;
        value += scale * of[k].values[i];
      }
      results[mine.segment * size + i] = value / weight;
    });
  }
};
BALLAST_KERNELS(kernels, attend)

// The first number of what a plain loop gives for tokens begin .. end - 1.
double plain(float const* query, float const* keys, float const* values, unsigned begin, unsigned end) {
  double weights = 0, sum = 0;
  for (unsigned token = begin; token < end; ++token) {
    double score = 0;
    for (unsigned i = 0; i < size; ++i) score += double(query[i]) * double(keys[token * size + i]);
    weights += std::exp(score);
    sum += std::exp(score) * double(values[token * size]);
  }
  return sum / weights;
}

int main() {
  std::mt19937 draw(1);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<unsigned> ends(40);
  unsigned tokens = 0;
  for (unsigned& end : ends) end = tokens += unsigned(std::exp(9 * unit(draw)));

  auto const device = ballast::open_devices().front();
  ballast::pinned_buffer<float> query(device, size), keys(device, tokens * size),
      values(device, tokens * size), results(device, ends.size() * size);
  for (auto* const numbers : {&query, &keys, &values})
    for (float& number : numbers->span()) number = unit(draw) - 0.5f;

  auto const list = ballast::cut_segments(ends, {max_items, true});
  ballast::pinned_buffer<ballast::piece> pieces(device, list.size());
  std::copy(list.begin(), list.end(), pieces.data());
  ballast::device_buffer<attention> parts(device, list.size());
  ballast::device_buffer<unsigned> counters(device, ends.size());
  auto const stream = device->make_stream();
  stream->fill(counters.data(), 0, counters.bytes());
  stream->synchronize();

  ballast::balanced_queue queue({device}, kernels());
  attend const kernel{ballast::array_ref(pieces), ballast::array_ref(query), ballast::array_ref(keys),
                      ballast::array_ref(values), ballast::array_ref(parts), ballast::array_ref(counters),
                      ballast::array_ref(results)};
  queue.submit(ballast::grid_task(ballast::task(kernel, {0, unsigned(list.size())}))).wait();

  for (unsigned i = 0; i < ends.size(); ++i) {
    double const wanted = plain(query.data(), keys.data(), values.data(), i == 0 ? 0 : ends[i - 1], ends[i]);
    if (std::fabs(results[i * size] - wanted) > 1e-4) return std::printf("sequence %u is wrong\n", i), 1;
  }
  std::printf("%zu sequences of %u tokens in %zu pieces\n", ends.size(), tokens, list.size());
}
