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

constexpr int pairs_of_steps = 5;

/// Links in the order of the pages that they lead to, and of those that they come from.
struct link_lists {
  std::vector<std::uint32_t> offsets, from, links_of;
};

/// Pages have 1 to 19 links. The share of those that lead to the k-th best page falls as k^(-5/6); the best
/// has 1 in 10, of 1 million pages.
link_lists power_law_links(std::uint32_t pages) {
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> unit(0, 1);
  link_lists made{std::vector<std::uint32_t>(pages + 1), {}, {}};
  std::vector<std::uint32_t> to;
  for (std::uint32_t page = 0; page < pages; ++page) {
    made.links_of.push_back(1 + std::uint32_t(draw() % 19));
    for (std::uint32_t i = 0; i < made.links_of.back(); ++i) {
      auto const rank = std::uint64_t(pages * std::pow(unit(draw), 6));
      to.push_back(std::uint32_t(rank * 2654435761 % pages));
      ++made.offsets[to.back() + 1];
    }
  }
  for (std::uint32_t page = 0; page < pages; ++page) made.offsets[page + 1] += made.offsets[page];
  made.from.resize(to.size());
  auto next = made.offsets;
  for (std::uint32_t page = 0, link = 0; page < pages; ++page)
    for (std::uint32_t i = 0; i < made.links_of[page]; ++i) made.from[next[to[link++]]++] = page;
  return made;
}

std::vector<double> ranks_in_double(link_lists const& of) {
  auto const pages = of.links_of.size();
  std::vector<double> rank(pages, 1.0 / double(pages)), next(pages);
  for (int step = 0; step < 2 * pairs_of_steps; ++step, rank.swap(next))
    for (std::size_t page = 0; page < pages; ++page) {
      double sum = 0;
      for (auto link = of.offsets[page]; link < of.offsets[page + 1]; ++link)
        sum += rank[of.from[link]] / of.links_of[of.from[link]];
      next[page] = (1 - double(damping)) / double(pages) + double(damping) * sum;
    }
  return rank;
}

template <class T>
void upload(stream& on, device_buffer<T>& to, std::vector<T> const& from) {
  on.copy(to.data(), from.data(), to.bytes());
  on.synchronize(soon());
}

/// A graph on a device, and two arrays of ranks, of which a step reads one and writes the other.
class ranked_graph {
 public:
  ranked_graph(std::shared_ptr<compute_device> const& device, link_lists const& of)
      : pages_(std::uint32_t(of.links_of.size())),
        on_(device->make_stream()),
        offsets_(device, of.offsets.size()),
        from_(device, of.from.size()),
        links_of_(device, pages_),
        weights_(device, from_.size()),
        part_(device, pages_),
        added_(device, pages_),
        first_{{device, pages_}, {device, pages_}},
        ranks_{{device, pages_}, {device, pages_}},
        seen_(device, pages_),
        carries_(device, rows().shares()),
        wanted_(ranks_in_double(of)) {
    std::vector<float> weights, divided;
    for (auto const links : of.links_of) part_of_.push_back(1 / float(links));
    for (auto const part : part_of_) divided.push_back(part / float(pages_));
    for (auto const from : of.from) weights.push_back(damping * part_of_[from]);
    upload(*on_, offsets_, of.offsets), upload(*on_, from_, of.from), upload(*on_, links_of_, of.links_of);
    upload(*on_, weights_, weights), upload(*on_, part_, part_of_), upload(*on_, first_[1], divided);
    upload(*on_, first_[0], std::vector<float>(pages_, 1 / float(pages_)));
    upload(*on_, added_, std::vector<float>(pages_, (1 - damping) / float(pages_)));
  }

  stream& on() { return *on_; }
  segments<float> rows() {
    return {array_ref<std::uint32_t const>(offsets_.data() + 1), pages_, std::uint32_t(from_.size()),
            array_ref(carries_.data())};
  }
  /// A step from ranks[x] is its product by x, added to what begin_step() puts into y.
  sparse_matrix matrix(std::size_t x) {
    return {pages_,
            std::uint32_t(from_.size()),
            pages_,
            array_ref<std::uint32_t const>(offsets_.data()),
            array_ref<float const>(weights_.data()),
            array_ref<std::uint32_t const>(from_.data()),
            array_ref<float const>(ranks_[x].data()),
            array_ref(ranks_[1 - x].data())};
  }
  void begin_step(std::size_t x) { on_->copy(ranks_[1 - x].data(), added_.data(), added_.bytes()); }
  rank_term plain(std::size_t x) { return {matrix(x), array_ref<std::uint32_t const>(links_of_.data())}; }
  divided_rank_term divided(std::size_t x) { return {matrix(x), array_ref<float const>(part_.data())}; }
  /// All ranks are equal; a way must write the others.
  void forget(bool is_divided) {
    on_->copy(ranks_[0].data(), first_[is_divided].data(), ranks_[0].bytes());
    on_->fill(ranks_[1].data(), 0xff, ranks_[1].bytes());
  }
  /// After all steps: each rank is that in double precision, but for this part of it.
  bool is_right(bool is_divided, double error) {
    on_->copy(seen_.data(), ranks_[0].data(), seen_.bytes());
    on_->synchronize(soon());
    for (std::uint32_t page = 0; page < pages_; ++page) {
      auto const rank = double(seen_[page]) / (is_divided ? double(part_of_[page]) : 1);
      if (!(std::fabs(rank - wanted_[page]) <= error * wanted_[page])) return false;
    }
    return true;
  }

 private:
  std::uint32_t pages_;
  std::unique_ptr<stream> on_;
  device_buffer<std::uint32_t> offsets_, from_, links_of_;
  device_buffer<float> weights_, part_, added_, first_[2], ranks_[2];
  pinned_buffer<float> seen_;
  device_buffer<segment_carry<float>> carries_;
  std::vector<float> part_of_;  ///< of a page's rank that each of its links carries
  std::vector<double> wanted_;
};

/// Puts a step from ranks[x] on the stream.
using enqueue_step = std::function<void(std::size_t x)>;

/// Measures one way, in microseconds of the device for a step. Its ranks are right within this part of them:
/// few digits are left where one thread adds up a page's million links.
void measure_way(session& now, ranked_graph& on, std::string const& name, bool is_divided, double error,
                 enqueue_step const& step) {
  auto const all = [&] {
    for (int pair = 0; pair < pairs_of_steps; ++pair) step(0), step(1);
  };
  on.forget(is_divided);
  device_seconds(on.on(), all);
  now.verify(on.is_right(is_divided, error), name + " is right");
  now.measure(name, "us", [&] { return 1e6 * device_seconds(on.on(), all) / (2 * pairs_of_steps); });
}

void measure_cusparse(session& now, ranked_graph& on, bool second) {
  enqueue_rows const products[] = {product_by_cusparse(on.on(), on.matrix(0), second, true),
                                   product_by_cusparse(on.on(), on.matrix(1), second, true)};
  if (!products[0]) return;
  measure_way(now, on, second ? "cuSPARSE, algorithm 2" : "cuSPARSE, algorithm 1", false, 1e-4,
              [&](std::size_t x) {
                on.begin_step(x);
                products[x]();
              });
}

}  // namespace

/// Of a graph of a million pages and 10 million links, most of which lead to few pages.
void measure_page_rank(session& now) {
  std::optional<default_stream> current;
  if (now.first()->is_cuda()) current.emplace(*now.first());
  now.repeat(2, now.quick() ? 2 : 9);
  auto const links = power_law_links(std::uint32_t(now.size(1'000'000, 20'000)));
  now.parameter("links", double(links.from.size()));
  ranked_graph on(now.first(), links);
  auto& stream = on.on();
  auto const pages = std::uint32_t(links.links_of.size());
  measure_way(now, on, "thread a page", false, 1e-3, [&](std::size_t x) {
    start(stream, (pages + 255) / 256, thread_a_row<rank_term>{on.plain(x)});
  });
  measure_way(now, on, "warp a page", false, 1e-5,
              [&](std::size_t x) { start(stream, (pages + 7) / 8, warp_a_row<rank_term>{on.plain(x)}); });
  measure_way(now, on, "shares", false, 1e-6,
              [&](std::size_t x) { start_shares(stream, on.rows(), on.plain(x)); });
  measure_way(now, on, "shares, ranks divided once", true, 1e-6,
              [&](std::size_t x) { start_shares(stream, on.rows(), on.divided(x)); });
  measure_cusparse(now, on, false);
  measure_cusparse(now, on, true);
}

}  // namespace ballast::bench
