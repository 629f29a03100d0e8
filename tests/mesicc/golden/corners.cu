#include <ballast/mesi/mesi.cuh>
#line 1 "corners.mcu"
// SPDX-License-Identifier: Apache-2.0
// Kernels whose ranges were once wrong: members, wrapping numbers, steps that change, casts. Each checks itself.
#include <cstdio>

struct point { int x, y; };
struct parts { int first; unsigned low : 4, high : 4; int rest[2]; };
ballast::mesi::variable<point[64]> points{"points"};
ballast::mesi::variable<parts[64]> many{"many"};
ballast::mesi::variable<int[1024]> from{"from"}; ballast::mesi::variable<int[64]> to{"to"};
ballast::mesi::variable<int[16][4]> rows{"rows"}; ballast::mesi::variable<int[25]> flat{"flat"};
int failures = 0;
#define CHECK(condition) do { if (!(condition)) ++failures, std::printf("line %d: %s\n", __LINE__, #condition); } while (0)

BALLAST_HD void set_member(ballast::mesi::thread_id lThreadId, point* p) { p[lThreadId.x].x = lThreadId.x; }
#line 1 "corners.mcu, launch in line 68"
namespace {
struct set_member_68 {
  point *p;
  static constexpr char name[] = "set_member";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    point *__restrict p = this->p;
    set_member(lThreadId, p);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto p_here) {
    p = ballast::mesi::biased(p, p_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); }
};
}  // namespace
#line 1 "corners.mcu, launch in line 136"
namespace {
struct set_member_136 {
  point *p;
  static constexpr char name[] = "set_member";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    point *__restrict p = this->p;
    set_member(lThreadId, p);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto p_here) {
    p = ballast::mesi::biased(p, p_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); }
};
}  // namespace
#line 15 "corners.mcu"
BALLAST_HD void set_parts(ballast::mesi::thread_id lThreadId, parts* p) { p[lThreadId.x].high = 3; p[lThreadId.x].rest[1] = 8; }
#line 1 "corners.mcu, launch in line 69"
namespace {
struct set_parts_69 {
  parts *p;
  static constexpr char name[] = "set_parts";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    parts *__restrict p = this->p;
    set_parts(lThreadId, p);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto p_here) {
    p = ballast::mesi::biased(p, p_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); }
};
}  // namespace
#line 16 "corners.mcu"
BALLAST_HD void set_and_read(ballast::mesi::thread_id lThreadId, point* p, int* y) { p[lThreadId.x].x = 7; y[lThreadId.x] = p[lThreadId.x].y; }
#line 1 "corners.mcu, launch in line 72"
namespace {
struct set_and_read_72 {
  point *p;
  int *y;
  static constexpr char name[] = "set_and_read";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    point *__restrict p = this->p;
    int *__restrict y = this->y;
    set_and_read(lThreadId, p, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto p_here, auto y_here) {
    p = ballast::mesi::biased(p, p_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); f(y); }
};
}  // namespace
#line 17 "corners.mcu"

BALLAST_HD int sum(int p, int q) { return p + q; }
BALLAST_HD void nested_calls(ballast::mesi::thread_id lThreadId, const int* x, int* y) { y[lThreadId.x] = x[sum(3 * lThreadId.x, sum(1, 0))]; }
#line 1 "corners.mcu, launch in line 78"
namespace {
struct nested_calls_78 {
  const int *x;
  int *y;
  static constexpr char name[] = "nested_calls";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    nested_calls(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{3 * part.begin + 1, 3 * part.end - 1}}; }),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 20 "corners.mcu"
BALLAST_HD void growing_step(ballast::mesi::thread_id lThreadId, const int* x, int* y) {
  int s = 0, j = lThreadId.x, d = 1;
  for (int i = 0; i < 8; i++) { s += x[j]; j += d; d++; }
  y[lThreadId.x] = s;
}
#line 1 "corners.mcu, launch in line 80"
namespace {
struct growing_step_80 {
  const int *x;
  int *y;
  static constexpr char name[] = "growing_step";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    growing_step(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads_all(x, "x"),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 25 "corners.mcu"
BALLAST_HD void left_by_a_switch(ballast::mesi::thread_id lThreadId, int* p, int mask) {
  for (int i = 0; i < 4; i++) {
    switch (i & mask) { case 1: continue; default: break; }
    p[lThreadId.x * 4 + i] = 7;
  }
}
#line 1 "corners.mcu, launch in line 89"
namespace {
struct left_by_a_switch_89 {
  int *p;
  int mask;
  static constexpr char name[] = "left_by_a_switch";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict p = this->p;
    left_by_a_switch(lThreadId, p, mask);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(p, "p", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{4 * part.begin, 4 * part.end}}; }));
  }
  void bind(auto p_here) {
    p = ballast::mesi::biased(p, p_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); }
};
}  // namespace
#line 31 "corners.mcu"
BALLAST_HD void one_of_two(ballast::mesi::thread_id lThreadId, const int* x, int* y, int c) {
  int i = lThreadId.x;
  int v = c > 1 ? x[i++] : x[100 + i++];
  y[lThreadId.x] = v + x[i + 2];
}
#line 1 "corners.mcu, launch in line 82"
namespace {
struct one_of_two_82 {
  const int *x;
  int *y;
  int c;
  static constexpr char name[] = "one_of_two";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    one_of_two(lThreadId, x, y, c);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const c = of.bound(this->c, "c");
    return std::tuple(of.reads(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{2 <= c ? part.begin : part.begin + 100, 2 <= c ? part.end : part.end + 100}, {part.begin + 3, part.end + 3}}; }),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 36 "corners.mcu"
BALLAST_HD void narrow(ballast::mesi::thread_id lThreadId, const int* x, int* y) {
  signed char c = 127;
  c++;
  int s = x[c + 200 + lThreadId.x];
  unsigned char j = 200;
  for (int i = 0; i < 4; i++) { s += x[j]; j += 100; }
  for (unsigned char i = 250; i != 4; ++i) s += x[i];
  unsigned down = 20 + lThreadId.x;
  for (int i = 0; i < 8; i++) { s += x[down]; down += 0xffffffffu; }
  y[lThreadId.x] = s;
}
#line 1 "corners.mcu, launch in line 84"
namespace {
struct narrow_84 {
  const int *x;
  int *y;
  static constexpr char name[] = "narrow";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    narrow(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads_all(x, "x"),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 47 "corners.mcu"
BALLAST_HD void shifted(ballast::mesi::thread_id lThreadId, const int* x, int* y) {
  int n = (lThreadId.x << 28) >> 28;
  y[lThreadId.x] = x[n + 8];
}
#line 1 "corners.mcu, launch in line 86"
namespace {
struct shifted_86 {
  const int *x;
  int *y;
  static constexpr char name[] = "shifted";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    shifted(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads_all(x, "x"),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 51 "corners.mcu"
BALLAST_HD int* row(int (*x)[4], int i) { return x[i]; }
BALLAST_HD void by_row(ballast::mesi::thread_id lThreadId, int (*x)[4], int* y) { int* r = row(x, 0); y[lThreadId.x] = r[lThreadId.x * 4 + 1]; }
#line 1 "corners.mcu, launch in line 96"
namespace {
struct by_row_96 {
  int (*x)[4];
  int *y;
  static constexpr char name[] = "by_row";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int (*__restrict x)[4] = this->x;
    int *__restrict y = this->y;
    by_row(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{4 * part.begin + 1, 4 * part.end - 2}}; }),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 53 "corners.mcu"
BALLAST_HD void in_rows_of_four(ballast::mesi::thread_id lThreadId, int (*x)[4], int n) { if (lThreadId.y * 4 + lThreadId.x < n) x[lThreadId.y][lThreadId.x] = 5; }
#line 1 "corners.mcu, launch in line 98"
namespace {
struct in_rows_of_four_98 {
  int (*x)[4];
  int n;
  static constexpr char name[] = "in_rows_of_four";
  static constexpr ballast::mesi::launch_form form{4, 16, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int (*__restrict x)[4] = this->x;
    in_rows_of_four(lThreadId, x, n);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{4 * part.begin, std::min<std::int64_t>(25, 4 * part.end)}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 54 "corners.mcu"
BALLAST_HD void count(ballast::mesi::thread_id lThreadId, int* x) { x[lThreadId.x] = lThreadId.x + 1; }
#line 1 "corners.mcu, launch in line 101"
namespace {
struct count_101 {
  int *x;
  static constexpr char name[] = "count";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    count(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 55 "corners.mcu"
BALLAST_HD void more(ballast::mesi::thread_id lThreadId, int* x) { x[lThreadId.x] += 1; }
#line 1 "corners.mcu, launch in line 105"
namespace {
struct more_105 {
  int *x;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    more(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 1 "corners.mcu, launch in line 113"
namespace {
struct more_113 {
  int *x;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    more(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 1 "corners.mcu, launch in line 114"
namespace {
struct more_114 {
  int *x;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    more(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 1 "corners.mcu, launch in line 115"
namespace {
struct more_115 {
  int *x;
  static constexpr char name[] = "more";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    more(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 56 "corners.mcu"

int narrow_by_hand(int thread) {
  int s = (signed char)(127 + 1) + 200 + thread;
  unsigned char j = 200;
  for (int i = 0; i < 4; i++) { s += j; j += 100; }
  for (unsigned char i = 250; i != 4; ++i) s += i;
  for (int i = 0; i < 8; i++) s += 20 + thread - i;
  return s;
}

void members() {
  for (int i = 0; i < 64; ++i) points.update()[i] = {100, 200 + i}, many.update()[i] = {i, 1, 2, {5, 6}};
  ballast::mesi::launch<set_member_68>(ballast::mesi::threads(64), points.address());
  ballast::mesi::launch<set_parts_69>(ballast::mesi::threads(64), many.address());
  for (int i = 0; i < 64; ++i) CHECK(points.read()[i].x == i && points.read()[i].y == 200 + i);
  for (const parts& p : many.read()) CHECK(p.low == 1 && p.high == 3 && p.rest[0] == 5 && p.rest[1] == 8);
  ballast::mesi::launch<set_and_read_72>(ballast::mesi::threads(64), points.address(), to.address());
  for (int i = 0; i < 64; ++i) CHECK(to.read()[i] == 200 + i && points.read()[i].x == 7);
}

void numbers(int one) {
  for (int i = 0; i < 1024; ++i) from.update()[i] = i;
  ballast::mesi::launch<nested_calls_78>(ballast::mesi::threads(16), from.address(), to.address());
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == 3 * i + 1);
  ballast::mesi::launch<growing_step_80>(ballast::mesi::threads(16), from.address(), to.address());
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == 8 * i + 84);
  ballast::mesi::launch<one_of_two_82>(ballast::mesi::threads(16), from.address(), to.address(), one);
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == 100 + i + i + 3);
  ballast::mesi::launch<narrow_84>(ballast::mesi::threads(16), from.address(), to.address());
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == narrow_by_hand(i));
  ballast::mesi::launch<shifted_86>(ballast::mesi::threads(16), from.address(), to.address());
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == (i < 8 ? 8 + i : i - 8));
  for (int i = 0; i < 64; ++i) to.update()[i] = 100 + i;
  ballast::mesi::launch<left_by_a_switch_89>(ballast::mesi::threads(16), to.address(), one);
  for (int i = 0; i < 64; ++i) CHECK(to.read()[i] == (i % 2 == 1 ? 100 + i : 7));
}

void casts() {
  for (auto& r : rows.update())
    for (int& v : r) v = &v - &rows.address()[0][0];
  ballast::mesi::launch<by_row_96>(ballast::mesi::threads(16), rows.address(), to.address());
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == 4 * i + 1);
  ballast::mesi::launch<in_rows_of_four_98>(ballast::mesi::threads(4, 7), (int(*)[4])flat.address(), 25);
  for (int v : flat.read()) CHECK(v == 5);
  for (int i = 0; i < 64; ++i) to.update()[i] = 0;
  ballast::mesi::launch<count_101>(ballast::mesi::threads(14), (int*)((char*)to.address() + 8));
  for (int i = 0; i < 16; ++i) CHECK(to.read()[i] == (i < 2 ? 0 : i - 1));
  int* p = to.address();
  p = p + 8;
  ballast::mesi::launch<more_105>(ballast::mesi::threads(8), p);
  CHECK(to.read()[7] == 6 && to.read()[8] == 8 && to.read()[15] == 15);
}

BALLAST_HD void clamped(ballast::mesi::thread_id lThreadId, const int* x, int* y) { y[lThreadId.x] = x[max(min(lThreadId.x - 1, 5), 0)]; }
#line 1 "corners.mcu, launch in line 117"
namespace {
struct clamped_117 {
  const int *x;
  int *y;
  static constexpr char name[] = "clamped";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const int *__restrict x = this->x;
    int *__restrict y = this->y;
    clamped(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin == 0 ? 0 : std::min<std::int64_t>(5, part.begin - 1), part.end == 1 && part.begin == 0 ? 1 : std::min<std::int64_t>(6, part.end - 1)}}; }),
                      of.writes(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 110 "corners.mcu"

void offsets(int one) {
  for (int i = 0; i < 64; ++i) from.update()[i] = i, to.update()[i] = 0;
  ballast::mesi::launch<more_113>(ballast::mesi::threads(8), to.address() + one);
  ballast::mesi::launch<more_114>(ballast::mesi::threads(8), &to.address()[8 * one]);
  for (int i = 0; i < 3; ++i) ballast::mesi::launch<more_115>(ballast::mesi::threads(8), to.address() + 8 * i);
  for (int i = 0; i < 24; ++i) CHECK(to.read()[i] == 1 + (i >= 1 && i < 9) + (i >= 8 && i < 16));
  ballast::mesi::launch<clamped_117>(ballast::mesi::threads(16), from.address(), to.address() + 32);
  for (int i = 0; i < 16; ++i) CHECK(to.read()[32 + i] == (i < 1 ? 0 : i < 7 ? i - 1 : 5));
}

BALLAST_HD void whatever(ballast::mesi::thread_id lThreadId, volatile int* x, const volatile int (*y)[4]) {
  volatile int* p = x;
  p[lThreadId.x] = y[lThreadId.x][1];
}
#line 1 "corners.mcu, launch in line 131"
namespace {
struct whatever_131 {
  volatile int *x;
  const volatile int (*y)[4];
  static constexpr char name[] = "whatever";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    volatile int *__restrict x = this->x;
    const volatile int (*__restrict y)[4] = this->y;
    whatever(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.reads(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{4 * part.begin + 1, 4 * part.end - 2}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 125 "corners.mcu"
BALLAST_HD void named_whatever(ballast::mesi::thread_id lThreadId, int (&to)[64]) { volatile int& p = to[lThreadId.x]; p = p + 1; }
#line 1 "corners.mcu, launch in line 133"
namespace {
struct named_whatever_133 {
  int (*to)[64];
  static constexpr char name[] = "named_whatever";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    named_whatever(lThreadId, *to);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(to, "to", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto to_here) {
    to = ballast::mesi::biased(to, to_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(to); }
};
}  // namespace
#line 126 "corners.mcu"

void whatever_compilers_think() {
  for (int i = 0; i < 16; ++i) rows.update()[i][1] = i;
  volatile int* p = to.address();
  const volatile int& first = to.address()[3];
  ballast::mesi::launch<whatever_131>(ballast::mesi::threads(16), p, rows.address());
  CHECK(ballast::mesi::host(p)[5] == 5 && ballast::mesi::host(first) == 3);
  ballast::mesi::launch<named_whatever_133>(ballast::mesi::threads(16), &::to.address());
  CHECK(ballast::mesi::host(p)[5] == 6 && ballast::mesi::host(first) == 4);
  auto [x, y] = points.read()[3];
  ballast::mesi::launch<set_member_136>(ballast::mesi::threads(64), points.address());
  auto [u, v] = points.read()[3];
  for (auto& [member, other] : ballast::mesi::open(points)) member = other = 9;
  CHECK(x == 7 && y == 203 && u == 3 && v == 203 && points.read()[63].x == 9);
}

int main(int one, char**) {
  members();
  numbers(one);
  casts();
  offsets(one);
  whatever_compilers_think();
  std::printf("%d failures\n", failures);
  return failures;
}

BALLAST_MESI_KERNELS(set_member_68, set_parts_69, set_and_read_72, nested_calls_78, growing_step_80, one_of_two_82, narrow_84, shifted_86, left_by_a_switch_89, by_row_96, in_rows_of_four_98, count_101, more_105, more_113, more_114, more_115, clamped_117, whatever_131, named_whatever_133, set_member_136)
