// SPDX-License-Identifier: Apache-2.0
// PageRank of an invented graph, where few pages have most of the links: a segment is a page, its items are
// the links that lead to it. What is kept of a page is its rank divided by its links, of which each passes
// on as much.
#include <ballast/kernels.cuh>
#include <ballast/launch_queue.hpp>
#include <ballast/segments.cuh>
#include <cmath>
#include <cstdio>
#include <random>

constexpr unsigned pages = 20'000, links = 300'000, steps = 20;
constexpr float damping = 0.85f;

struct follow_links {  // a share of all links, whatever page they lead to
  static constexpr int threads = 256;
  using scratch = ballast::share_memory<float>;
  ballast::segments<float> to;
  ballast::array_ref<unsigned const> from, links_of;
  ballast::array_ref<float const> passed;
  ballast::array_ref<float> next;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    ballast::reduce_segments(
        block, block.scratch(), to, block.index(), 0, [&](unsigned link) { return passed[from[link]]; },
        ballast::plus(),
        [&](unsigned page, float sum) {
          next[page] = ((1 - damping) / pages + damping * sum) / float(links_of[page]);
        });
  }
};

struct add_what_went_over_borders {
  static constexpr int threads = 256;
  ballast::segments<float> to;
  ballast::array_ref<unsigned const> links_of;
  ballast::array_ref<float> next;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    ballast::add_carries(block, to, block.index(), 0, ballast::plus(), [&](unsigned page, float sum) {
      next[page] += damping * sum / float(links_of[page]);
    });
  }
};
BALLAST_KERNELS(kernels, follow_links, add_what_went_over_borders)

struct graph {  // links in the order of the pages that they lead to
  std::vector<unsigned> ends, from, links_of;
};

graph invented_graph() {
  std::mt19937 draw(1);
  std::vector<std::vector<unsigned>> leading_to(pages);
  graph made{std::vector<unsigned>(pages), {}, std::vector<unsigned>(pages)};
  for (unsigned link = 0; link < links; ++link) {
    unsigned const from = link % pages;  // so that every page links to some
    double const unit = double(draw()) / 4294967296.0;
    leading_to[unsigned(pages * std::pow(unit, 6))].push_back(from);
    ++made.links_of[from];
  }
  for (unsigned page = 0; page < pages; ++page) {
    made.from.insert(made.from.end(), leading_to[page].begin(), leading_to[page].end());
    made.ends[page] = unsigned(made.from.size());
  }
  return made;
}

std::vector<double> plain_ranks(graph const& of) {
  std::vector<double> rank(pages, 1.0 / pages), next(pages);
  for (unsigned step = 0; step < steps; ++step, rank.swap(next))
    for (unsigned page = 0, link = 0; page < pages; ++page) {
      double sum = 0;
      for (; link < of.ends[page]; ++link) sum += rank[of.from[link]] / of.links_of[of.from[link]];
      next[page] = (1 - double(damping)) / pages + double(damping) * sum;
    }
  return rank;
}

template <class T>
ballast::pinned_buffer<T> copied(std::shared_ptr<ballast::compute_device> const& to,
                                 std::vector<T> const& from) {
  ballast::pinned_buffer<T> copy(to, from.size());
  std::copy(from.begin(), from.end(), copy.data());
  return copy;
}

int main() {
  auto const web = invented_graph();
  auto const device = ballast::open_devices().front();
  auto const ends = copied(device, web.ends), from = copied(device, web.from),
             links_of = copied(device, web.links_of);
  ballast::pinned_buffer<float> passed(device, pages), next(device, pages);
  for (unsigned page = 0; page < pages; ++page) passed[page] = 1.0f / pages / float(links_of[page]);
  ballast::segments<float> to{ballast::array_ref(ends), pages, links, {}};
  ballast::pinned_buffer<ballast::segment_carry<float>> carries(device, to.shares());
  to.carries = ballast::array_ref(carries);

  ballast::launch_queue queue({device}, kernels());
  auto stream = queue.make_launch_stream();
  ballast::array_ref<unsigned const> const divisors(links_of);
  for (unsigned step = 0; step < steps; ++step, std::swap(passed, next)) {
    ballast::array_ref const written(next);
    stream.launch(follow_links{to, ballast::array_ref(from), divisors, ballast::array_ref(passed), written},
                  to.shares());
    stream.launch(add_what_went_over_borders{to, divisors, written}, to.groups());
  }
  queue.wait_all();

  auto const wanted = plain_ranks(web);
  auto const rank = [&](unsigned page) { return double(passed[page]) * links_of[page]; };
  for (unsigned page = 0; page < pages; ++page)
    if (std::fabs(rank(page) - wanted[page]) > 1e-4 * wanted[page])
      return std::printf("page %u is wrong\n", page), 1;
  std::printf("page 0 has %u of %u links and the rank %.3f\n", web.ends[0], links, rank(0));
}
