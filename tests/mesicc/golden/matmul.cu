#include <ballast/mesi/mesi.cuh>
#line 1 "matmul.mcu"
// SPDX-License-Identifier: Apache-2.0
// The matrix product of Ohno et al. 2016, Fig. 3, with a check. -D N=8192 is the paper's size, -D RUNS=5 repeats it.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#ifndef N
#  define N 256
#endif
#ifndef RUNS
#  define RUNS 1
#endif

ballast::mesi::variable<int[N][N]> ga{"ga"}, gb{"gb"}, gc{"gc"};

BALLAST_HD void matmul(ballast::mesi::thread_id lThreadId, int a[][N], int b[][N], int c[][N]) {
  int k;
  int row = lThreadId.y;
  int col = lThreadId.x;
  c[row][col] = 0;
  for (k = 0; k < N; k++) {
    c[row][col] += a[row][k] * b[k][col];
  }
}
#line 1 "matmul.mcu, launch in line 63"
namespace {
struct matmul_63 {
  int (*a)[256];
  int (*b)[256];
  int (*c)[256];
  static constexpr char name[] = "matmul";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int (*__restrict a)[256] = this->a;
    int (*__restrict b)[256] = this->b;
    int (*__restrict c)[256] = this->c;
    matmul(lThreadId, a, b, c);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{256 * part.begin, 256 * part.end}}; }),
                      of.reads_all(b, "b"),
                      of.writes(c, "c", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{256 * part.begin, 256 * part.end}}; }));
  }
  void bind(auto a_here, auto b_here, auto c_here) {
    a = ballast::mesi::biased(a, a_here);
    b = ballast::mesi::biased(b, b_here);
    c = ballast::mesi::biased(c, c_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(b); f(c); }
};
}  // namespace
#line 26 "matmul.mcu"

void init_array(int d[N][N], int by_row, int by_column) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) d[i][j] = (by_row * i + by_column * j) % 17 - 8;
}

std::vector<unsigned> times(const int m[N][N], const std::vector<unsigned>& x) {
  std::vector<unsigned> y(N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) y[i] += unsigned(m[i][j]) * x[j];
  return y;
}

// Freivalds' test: c x = a (b x) for some vectors x, modulo 2^32.
bool is_product(const int a[N][N], const int b[N][N], const int c[N][N]) {
  std::uint32_t state = 1;
  for (int test = 0; test < 3; ++test) {
    std::vector<unsigned> x(N);
    for (unsigned& element : x) element = (state = state * 1664525 + 1013904223) >> 30;
    if (times(c, x) != times(a, times(b, x))) return false;
  }
  return true;
}

// Of all bits (FNV-1a).
unsigned long long hash(const int c[N][N]) {
  unsigned long long sum = 14695981039346656037ull;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) sum = (sum ^ unsigned(c[i][j])) * 1099511628211ull;
  return sum;
}

int main() {
  init_array(ga.update(), 7, 13);
  init_array(gb.update(), 11, 5);
  for (int run = 0; run < RUNS; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    ballast::mesi::launch<matmul_63>(ballast::mesi::threads(N, N), ga.address(), gb.address(), gc.address());
    const int corner = gc.read()[N - 1][N - 1];  // waits for it
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "%.6f s, last element %d\n", took.count(), corner);
  }
  const bool right = is_product(ga.read(), gb.read(), gc.read());
  std::printf("%s, %016llx\n", right ? "right" : "wrong", hash(gc.read()));
  return right ? 0 : 1;
}

BALLAST_MESI_KERNELS(matmul_63)
