#include <ballast/mesi/mesi.cuh>
#line 1 "steps.mcu"
// Pointers with offsets, launches of one line, run-time sizes, kernels that name variables, and helpers.
#include <cstdio>
#include <cstdlib>
namespace lab {
constexpr int n = 300;
ballast::mesi::variable<int[n]> numbers{"numbers"}, twice{"twice"}; ballast::mesi::variable<int> offset{"offset"};
BALLAST_HD inline int here(ballast::mesi::thread_id lThreadId) { return lThreadId.x; }
BALLAST_HD int shifted(int &offset, int v) { return v + offset; }
BALLAST_HD void count(ballast::mesi::thread_id lThreadId, int (&numbers)[300]) { numbers[here(lThreadId)] = here(lThreadId); }
#line 1 "steps.mcu, launch in line 28"
namespace {
struct count_28 {
  int (*numbers)[300];
  static constexpr char name[] = "count";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    count(lThreadId, *numbers);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(numbers, "numbers", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto numbers_here) {
    numbers = ballast::mesi::biased(numbers, numbers_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(numbers); }
};
}  // namespace
#line 10 "steps.mcu"
BALLAST_HD void twofold(ballast::mesi::thread_id lThreadId, int &offset, const int* from, int* to) { to[lThreadId.x] = shifted(offset, 2 * from[lThreadId.x]); }
#line 1 "steps.mcu, launch in line 28"
namespace {
struct twofold_28 {
  int *offset;
  const int *from;
  int *to;
  static constexpr char name[] = "twofold";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict from = this->from;
    int *__restrict to = this->to;
    twofold(lThreadId, *offset, from, to);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(from, "from", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(to, "to", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads_all(offset, "offset"));
  }
  void bind(auto from_here, auto to_here, auto offset_here) {
    from = ballast::mesi::biased(from, from_here);
    to = ballast::mesi::biased(to, to_here);
    offset = ballast::mesi::biased(offset, offset_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(from); f(to); f(offset); }
};
}  // namespace
#line 11 "steps.mcu"
BALLAST_HD void by_row(ballast::mesi::thread_id lThreadId, int* a, int columns, int value) { a[lThreadId.y * columns + lThreadId.x] = value + lThreadId.y; }
#line 1 "steps.mcu, launch in line 30"
namespace {
struct by_row_30 {
  int *a;
  int columns;
  int value;
  static constexpr char name[] = "by_row";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict a = this->a;
    by_row(lThreadId, a, columns, value);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{20 * part.begin, 20 * part.end}}; }));
  }
  void bind(auto a_here) {
    a = ballast::mesi::biased(a, a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); }
};
}  // namespace
#line 1 "steps.mcu, launch in line 33"
namespace {
struct by_row_33 {
  int *a;
  int columns;
  int value;
  static constexpr char name[] = "by_row";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict a = this->a;
    by_row(lThreadId, a, columns, value);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{20 * part.begin, 20 * part.end}}; }));
  }
  void bind(auto a_here) {
    a = ballast::mesi::biased(a, a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); }
};
}  // namespace
#line 12 "steps.mcu"
BALLAST_HD void line(ballast::mesi::thread_id lThreadId, int* a, int length, int value) {
  if (lThreadId.x < length) a[lThreadId.x] = value + length;
}
#line 1 "steps.mcu, launch in line 35"
namespace {
struct line_35 {
  int *a;
  int length;
  int value;
  static constexpr char name[] = "line";
  static constexpr ballast::mesi::launch_form form{256, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict a = this->a;
    line(lThreadId, a, length, value);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const length = of.bound(this->length, "length");
    return std::tuple(of.writes(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, std::min<std::int64_t>(length + 1, part.end + 1) - 1}}; }));
  }
  void bind(auto a_here) {
    a = ballast::mesi::biased(a, a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); }
};
}  // namespace
#line 15 "steps.mcu"
}  // namespace lab
ballast::mesi::variable<int[400]> grid{"grid"};

int sum(const int* of, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += of[i];
  return total;
}
int main(int argc, char** argv) {
  using namespace lab;
  const int length = argc > 1 ? std::atoi(argv[1]) : 20;
  constexpr int columns = 20;
  offset.update() = 5;
  ballast::mesi::launch<::lab::count_28>(ballast::mesi::threads(n), &::lab::numbers.address()); ballast::mesi::launch<::lab::twofold_28>(ballast::mesi::threads(n - 8), &::lab::offset.address(), numbers.address() + 8, lab::twice.address());
  std::printf("%d %d\n", twice.read()[0], sum(twice.read(), n));
  ballast::mesi::launch<::lab::by_row_30>(ballast::mesi::threads(columns, 400 / columns), grid.address(), columns, 7);
  int* last = grid.address() + 399;
  std::printf("%d %d\n", sum(grid.read(), 400), *ballast::mesi::host(last));
  ballast::mesi::launch<::lab::by_row_33>(ballast::mesi::threads(columns, 400 / columns), grid.address(), columns, 8);
  std::printf("%d %d\n", grid.read()[0], *ballast::mesi::host(last));
  ballast::mesi::launch<::lab::line_35>(ballast::mesi::threads(length + 3), grid.address() + 1, length, 30);
  std::printf("%d %d %d %d\n", grid.read()[0], grid.read()[1], grid.read()[length], grid.read()[length + 1]);
  return twice.read()[0] == 21 && grid.read()[0] == 8 ? 0 : 1;
}

BALLAST_MESI_KERNELS(::lab::count_28, ::lab::twofold_28, ::lab::by_row_30, ::lab::by_row_33, ::lab::line_35)
