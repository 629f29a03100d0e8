// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>
#include <random>

#include "ballast/device.hpp"
#include "device/attention_kernels.cuh"
#include "device/benchmarks.hpp"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t heads = 8;
constexpr std::uint64_t values_from = std::uint64_t(1) << 40;  // invented numbers of keys are below

/// Ends of the segments, whose tokens lie together: of each sequence its heads.
std::vector<std::uint64_t> ends_of(std::vector<std::uint32_t> const& lengths) {
  std::vector<std::uint64_t> ends;
  for (auto const length : lengths)
    for (std::uint32_t head = 0; head < heads; ++head)
      ends.push_back((ends.empty() ? 0 : ends.back()) + length);
  return ends;
}

/// Lengths of 1 to `longest`, whose logarithms are uniform.
std::vector<std::uint32_t> ragged_lengths(std::size_t sequences, std::uint32_t longest) {
  std::mt19937_64 draw(11);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::uint32_t> lengths(sequences);
  for (auto& length : lengths) length = std::uint32_t(std::exp(unit(draw) * std::log(double(longest))));
  return lengths;
}

float query_at(std::uint32_t i) { return float((i * 2654435761u >> 8) % 2001) / 3333 - 0.3f; }

double invented_number(std::uint64_t at) { return double(std::bit_cast<float>(invented_half(at) << 16)); }

/// Keys and values of sequences on a device, and what is made of them.
class sequences_on {
 public:
  sequences_on(std::shared_ptr<compute_device> const& device, std::vector<std::uint32_t> const& lengths)
      : ends_(ends_of(lengths)),
        device_(device),
        on_(device->make_stream()),
        keys_(device, ends_.back() * vectors),
        values_(device, keys_.size()),
        queries_(device, ends_.size() * head_size),
        results_(device, queries_.size()),
        seen_(device, queries_.size()),
        counters_(device, ends_.size()) {
    invent(keys_, 0);
    invent(values_, values_from);
    for (std::uint32_t i = 0; i < seen_.size(); ++i) seen_[i] = query_at(i);
    on_->copy(queries_.data(), seen_.data(), queries_.bytes());
    on_->fill(counters_.data(), 0, counters_.bytes());
    on_->synchronize(soon());
  }

  double bytes() const { return 2 * double(keys_.bytes()); }

  /// Seconds of the device for all sequences, in pieces of at most this many tokens; the answer is verified
  /// once.
  void measure(session& now, std::string const& curve, double x, std::uint64_t max_items) {
    auto const list = cut_segments(ends_, {max_items});
    pinned_buffer<piece> const pieces(device_, list.size());
    device_buffer<contribution> parts(device_, list.size());
    device_buffer<piece> there(device_, list.size());
    std::ranges::copy(list, pieces.data());
    on_->copy(there.data(), pieces.data(), pieces.bytes());
    attend const kernel{array_ref<piece const>(there.data()),
                        array_ref<eight_halves const>(keys_.data()),
                        array_ref<eight_halves const>(values_.data()),
                        array_ref<float const>(queries_.data()),
                        array_ref(parts.data()),
                        array_ref(counters_.data()),
                        array_ref(results_.data())};
    auto const run = [&] {
      return device_seconds(*on_, [&] { start(*on_, std::uint32_t(list.size()), kernel); });
    };
    on_->fill(results_.data(), 0xff, results_.bytes());
    run();
    now.verify(is_right(), curve + " gives what double precision gives");
    now.measure(curve, x, "us", [&] { return 1e6 * run(); });
  }

 private:
  void invent(device_buffer<eight_halves>& to, std::uint64_t first) {
    auto const blocks = std::uint32_t((to.size() + invent_halves::of_block - 1) / invent_halves::of_block);
    start(*on_, blocks, invent_halves{array_ref(to.data()), to.size(), first});
  }
  /// Compares two segments; of the others, that they were written.
  bool is_right() {
    on_->copy(seen_.data(), results_.data(), results_.bytes());
    on_->synchronize(soon());
    if (std::ranges::any_of(seen_.span(), [](float each) { return !std::isfinite(each); })) return false;
    return is_right(3) && is_right(std::uint32_t(ends_.size() - 1));
  }
  bool is_right(std::uint32_t segment) const {
    double weight = 0, sums[head_size] = {};
    for (auto token = ends_[segment - 1]; token < ends_[segment]; ++token) {
      double score = 0;
      for (std::uint32_t i = 0; i < head_size; ++i)
        score += double(query_at(segment * head_size + i)) * invented_number(token * head_size + i);
      weight += std::exp(score);
      for (std::uint32_t i = 0; i < head_size; ++i)
        sums[i] += std::exp(score) * invented_number(values_from + token * head_size + i);
    }
    for (std::uint32_t i = 0; i < head_size; ++i)
      if (std::fabs(seen_[segment * head_size + i] - sums[i] / weight) > 1e-3) return false;
    return true;
  }

  std::vector<std::uint64_t> ends_;
  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> on_;
  device_buffer<eight_halves> keys_, values_;
  device_buffer<float> queries_, results_;
  pinned_buffer<float> seen_;
  device_buffer<std::uint32_t> counters_;
};

/// Bytes read and written in a second by a copy on the device.
double copied(session const& now) {
  device_buffer<char> from(now.first(), std::size_t(now.first()->is_cuda() ? 1 << 30 : 1 << 24)),
      to(now.first(), from.size());
  auto const on = now.first()->make_stream();
  return 2 * double(from.bytes()) /
         device_seconds(*on, [&] { on->copy(to.data(), from.data(), from.bytes()); });
}

void measure_lengths(session& now, std::string const& kind, std::vector<std::uint32_t> const& lengths) {
  auto const x = double(lengths.size());
  sequences_on sequences(now.first(), lengths);
  auto const whole = kind + ", a block", cut = kind + ", pieces of 512";
  sequences.measure(now, whole, x, std::uint64_t(1) << 40);
  sequences.measure(now, cut, x, 512);
  auto const label = kind + ", " + std::to_string(lengths.size()) + " sequences: ";
  now.derived(label + "a block over pieces", now.median_of(whole, x) / now.median_of(cut, x));
  now.derived(label + "bandwidth of pieces over the copy's",
              1e6 * sequences.bytes() / now.median_of(cut, x) / now.median_of("copy"));
}

}  // namespace

/// One query of each of 8 heads, of 128 numbers of 16 bits.
void measure_ragged_attention(session& now) {
  now.axes("Attention over sequences of 1 to 32 thousand tokens", "sequences", "us", true, true);
  now.repeat(2, now.quick() ? 2 : 9);
  bool const is_large = now.first()->is_cuda() && !now.quick();
  now.measure("copy", "B/s", [&] { return copied(now); });
  for (std::size_t const sequences : {64, 128, 256}) {
    measure_lengths(now, "ragged", ragged_lengths(sequences, is_large ? 32'768 : 700));
    measure_lengths(now, "even", std::vector<std::uint32_t>(sequences, is_large ? 3072 : 60));
    if (!is_large) return;
  }
}

}  // namespace ballast::bench
