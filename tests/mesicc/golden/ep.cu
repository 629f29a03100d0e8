#include <ballast/mesi/mesi.cuh>
#line 1 "ep.mcu"
// SPDX-License-Identifier: Apache-2.0
// The benchmark ep of the NAS Parallel Benchmarks: pairs of normal deviates by Marsaglia's polar method, their sums, and
// how many lie in each square annulus. Class S; -D LOG2_PAIRS=36 is class D, the paper's.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#ifndef LOG2_PAIRS
#  define LOG2_PAIRS 24
#endif

constexpr int log2_threads = LOG2_PAIRS < 30 ? LOG2_PAIRS - 8 : 22, threads = 1 << log2_threads;
constexpr int pairs_of_thread = 1 << (LOG2_PAIRS - log2_threads), annuli = 10;
constexpr int group = 128, groups = threads / group;
constexpr std::uint64_t mask = (1ull << 46) - 1, factor = 1220703125, seed = 271828183;

ballast::mesi::variable<double[threads]> sx{"sx"}, sy{"sy"}; ballast::mesi::variable<double[groups]> sx_of_group{"sx_of_group"}, sy_of_group{"sy_of_group"};
ballast::mesi::variable<unsigned[threads][annuli]> q{"q"}; ballast::mesi::variable<unsigned[groups][annuli]> q_of_group{"q_of_group"};

// The state of the generator s(k + 1) = 5^13 s(k) modulo 2^46 after so many numbers.
BALLAST_HD std::uint64_t state_after(std::uint64_t numbers) {
  std::uint64_t state = seed, power = factor;
  for (; numbers != 0; numbers /= 2, power = power * power & mask)
    if (numbers % 2 != 0) state = state * power & mask;
  return state;
}

BALLAST_HD void ep(ballast::mesi::thread_id lThreadId, double* x_sums, double* y_sums, unsigned counts[][annuli]) {
  const int id = lThreadId.x;
  std::uint64_t s = state_after(2ull * pairs_of_thread * id);
  double x_sum = 0, y_sum = 0;
  unsigned found[annuli] = {};
  for (int i = 0; i < pairs_of_thread; ++i) {
    s = s * factor & mask;
    const double x = 2 * (double(s) * 0x1p-46) - 1;
    s = s * factor & mask;
    const double y = 2 * (double(s) * 0x1p-46) - 1;
    const double t = x * x + y * y;
    if (t > 1) continue;
    const double f = sqrt(-2 * log(t) / t);
    const double normal_x = x * f, normal_y = y * f;
    found[int(fmax(fabs(normal_x), fabs(normal_y)))] += 1;
    x_sum += normal_x;
    y_sum += normal_y;
  }
  x_sums[id] = x_sum;
  y_sums[id] = y_sum;
  for (int l = 0; l < annuli; ++l) counts[id][l] = found[l];
}
#line 1 "ep.mcu, launch in line 71"
namespace {
struct ep_71 {
  double *x_sums;
  double *y_sums;
  unsigned int (*counts)[10];
  static constexpr char name[] = "ep";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    double *__restrict x_sums = this->x_sums;
    double *__restrict y_sums = this->y_sums;
    unsigned int (*__restrict counts)[10] = this->counts;
    ep(lThreadId, x_sums, y_sums, counts);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x_sums, "x_sums", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(y_sums, "y_sums", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(counts, "counts", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{10 * part.begin, 10 * part.end}}; }));
  }
  void bind(auto x_sums_here, auto y_sums_here, auto counts_here) {
    x_sums = ballast::mesi::biased(x_sums, x_sums_here);
    y_sums = ballast::mesi::biased(y_sums, y_sums_here);
    counts = ballast::mesi::biased(counts, counts_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x_sums); f(y_sums); f(counts); }
};
}  // namespace
#line 51 "ep.mcu"

// What the threads of a group have found: little is left for the host, and the error of rounding stays small.
BALLAST_HD void add_up(ballast::mesi::thread_id lThreadId, const double* x_sums, const double* y_sums, const unsigned counts[][annuli], double* x_of_group,
                       double* y_of_group, unsigned counts_of_group[][annuli]) {
  const int g = lThreadId.x;
  double x = 0, y = 0;
  unsigned found[annuli] = {};
  for (int i = g * group; i < (g + 1) * group; ++i) {
    x += x_sums[i];
    y += y_sums[i];
    for (int l = 0; l < annuli; ++l) found[l] += counts[i][l];
  }
  x_of_group[g] = x;
  y_of_group[g] = y;
  for (int l = 0; l < annuli; ++l) counts_of_group[g][l] = found[l];
}
#line 1 "ep.mcu, launch in line 72"
namespace {
struct add_up_72 {
  const double *x_sums;
  const double *y_sums;
  const unsigned int (*counts)[10];
  double *x_of_group;
  double *y_of_group;
  unsigned int (*counts_of_group)[10];
  static constexpr char name[] = "add_up";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const double *__restrict x_sums = this->x_sums;
    const double *__restrict y_sums = this->y_sums;
    const unsigned int (*__restrict counts)[10] = this->counts;
    double *__restrict x_of_group = this->x_of_group;
    double *__restrict y_of_group = this->y_of_group;
    unsigned int (*__restrict counts_of_group)[10] = this->counts_of_group;
    add_up(lThreadId, x_sums, y_sums, counts, x_of_group, y_of_group, counts_of_group);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(x_sums, "x_sums", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{128 * part.begin, 128 * part.end}}; }),
                      of.reads(y_sums, "y_sums", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{128 * part.begin, 128 * part.end}}; }),
                      of.reads(counts, "counts", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{1280 * part.begin, 1280 * part.end}}; }),
                      of.writes(x_of_group, "x_of_group", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(y_of_group, "y_of_group", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(counts_of_group, "counts_of_group", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{10 * part.begin, 10 * part.end}}; }));
  }
  void bind(auto x_sums_here, auto y_sums_here, auto counts_here, auto x_of_group_here, auto y_of_group_here, auto counts_of_group_here) {
    x_sums = ballast::mesi::biased(x_sums, x_sums_here);
    y_sums = ballast::mesi::biased(y_sums, y_sums_here);
    counts = ballast::mesi::biased(counts, counts_here);
    x_of_group = ballast::mesi::biased(x_of_group, x_of_group_here);
    y_of_group = ballast::mesi::biased(y_of_group, y_of_group_here);
    counts_of_group = ballast::mesi::biased(counts_of_group, counts_of_group_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x_sums); f(y_sums); f(counts); f(x_of_group); f(y_of_group); f(counts_of_group); }
};
}  // namespace
#line 67 "ep.mcu"

struct tally { double x, y; unsigned long long counts[annuli]; };

tally draw_pairs() {
  ballast::mesi::launch<ep_71>(ballast::mesi::threads(threads), sx.address(), sy.address(), q.address());
  ballast::mesi::launch<add_up_72>(ballast::mesi::threads(groups), sx.address(), sy.address(), q.address(), sx_of_group.address(), sy_of_group.address(), q_of_group.address());
  tally all = {};
  for (const double x : sx_of_group.read()) all.x += x;
  for (const double y : sy_of_group.read()) all.y += y;
  for (const auto& of_group : q_of_group.read())
    for (int l = 0; l < annuli; ++l) all.counts[l] += of_group[l];
  return all;
}

struct answer { int log2_pairs; double sx, sy; };
const answer known[] = {{24, -3.247834652034740e3, -6.958407078382297e3}, {25, -2.863319731645753e3, -6.320053679109499e3},
                        {28, -4.295875165629892e3, -1.580732573678431e4}, {30, 4.033815542441498e4, -2.660669192809235e4},
                        {32, 4.764367927995374e4, -8.084072988043731e4},  {36, 1.982481200946593e5, -1.020596636361769e5}};

bool is_right(const tally& found) {
  for (const answer& a : known)
    if (a.log2_pairs == LOG2_PAIRS) return std::fabs(found.x / a.sx - 1) < 1e-8 && std::fabs(found.y / a.sy - 1) < 1e-8;
  return false;
}

int main() {
  const auto begin = std::chrono::steady_clock::now();
  const tally found = draw_pairs();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%.6f s, with the start of the devices\n", took.count());
  std::printf("%s, %.17g %.17g", is_right(found) ? "right" : "wrong", found.x, found.y);
  for (const auto count : found.counts) std::printf(" %llu", count);
  std::printf("\n");
  return is_right(found) ? 0 : 1;
}

BALLAST_MESI_KERNELS(ep_71, add_up_72)
