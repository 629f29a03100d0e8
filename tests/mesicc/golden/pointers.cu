#include <ballast/mesi/mesi.cuh>
#line 1 "pointers.mcu"
// What host code may do with pointers and references while launches come between: each step checks what it sees.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>
constexpr int n = 500, rows = 20, columns = 25;
ballast::mesi::variable<int[n]> a{"a"}, b{"b"}; ballast::mesi::variable<int[rows][columns]> table{"table"}; ballast::mesi::variable<int> rounds{"rounds"};
struct cell { int value; int twice() const { return 2 * value; } void set(int v) { value = v; } };
ballast::mesi::variable<cell[n]> cells{"cells"};
int failures = 0;
#define FIRST(x) x[0]
#define CHECK(condition) do { if (!(condition)) ++failures, std::printf("line %d: %s\n", __LINE__, #condition); } while (0)

BALLAST_HD void add(ballast::mesi::thread_id lThreadId, int* x, int by) { x[lThreadId.x] += by; }
#line 1 "pointers.mcu, launch in line 25"
namespace {
struct add_25 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 27"
namespace {
struct add_27 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 30"
namespace {
struct add_30 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 38"
namespace {
struct add_38 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 44"
namespace {
struct add_44 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 51"
namespace {
struct add_51 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 57"
namespace {
struct add_57 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 61"
namespace {
struct add_61 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 86"
namespace {
struct add_86 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 89"
namespace {
struct add_89 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 1 "pointers.mcu, launch in line 92"
namespace {
struct add_92 {
  int *x;
  int by;
  static constexpr char name[] = "add";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int *__restrict x = this->x;
    add(lThreadId, x, by);
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
#line 19 "pointers.mcu"
BALLAST_HD void copy(ballast::mesi::thread_id lThreadId, const int* from, int* to) { to[lThreadId.x] = from[lThreadId.x]; }
#line 1 "pointers.mcu, launch in line 50"
namespace {
struct copy_50 {
  const int *from;
  int *to;
  static constexpr char name[] = "copy";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    copy(lThreadId, from, to);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(from, "from", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.writes(to, "to", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto from_here, auto to_here) {
    from = ballast::mesi::biased(from, from_here);
    to = ballast::mesi::biased(to, to_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(from); f(to); }
};
}  // namespace
#line 20 "pointers.mcu"
BALLAST_HD void mark(ballast::mesi::thread_id lThreadId, int x[][columns]) { x[lThreadId.y][lThreadId.x] = lThreadId.y * 100 + lThreadId.x; }
#line 1 "pointers.mcu, launch in line 66"
namespace {
struct mark_66 {
  int (*x)[25];
  static constexpr char name[] = "mark";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int (*__restrict x)[25] = this->x;
    mark(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{25 * part.begin, 25 * part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 1 "pointers.mcu, launch in line 72"
namespace {
struct mark_72 {
  int (*x)[25];
  static constexpr char name[] = "mark";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    int (*__restrict x)[25] = this->x;
    mark(lThreadId, x);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.writes(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{25 * part.begin, 25 * part.end}}; }));
  }
  void bind(auto x_here) {
    x = ballast::mesi::biased(x, x_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); }
};
}  // namespace
#line 21 "pointers.mcu"
BALLAST_HD void raise(ballast::mesi::thread_id lThreadId, cell* c) { c[lThreadId.x].value += 1; }
#line 1 "pointers.mcu, launch in line 79"
namespace {
struct raise_79 {
  cell *c;
  static constexpr char name[] = "raise";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    cell *__restrict c = this->c;
    raise(lThreadId, c);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(c, "c", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto c_here) {
    c = ballast::mesi::biased(c, c_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(c); }
};
}  // namespace
#line 1 "pointers.mcu, launch in line 82"
namespace {
struct raise_82 {
  cell *c;
  static constexpr char name[] = "raise";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    cell *__restrict c = this->c;
    raise(lThreadId, c);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates_some(c, "c", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto c_here) {
    c = ballast::mesi::biased(c, c_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(c); }
};
}  // namespace
#line 22 "pointers.mcu"
BALLAST_HD void next_round(ballast::mesi::thread_id, int &rounds) { rounds = rounds + 1; }
#line 1 "pointers.mcu, launch in line 75"
namespace {
struct next_round_75 {
  int *rounds;
  static constexpr char name[] = "next_round";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    next_round(lThreadId, *rounds);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(rounds, "rounds", [=](ballast::mesi::part) { return ballast::mesi::ranges{{0, 1}}; }),
                      of.reads_all(rounds, "rounds"));
  }
  void bind(auto rounds_here, auto) {
    rounds = ballast::mesi::biased(rounds, rounds_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(rounds); }
};
}  // namespace
#line 23 "pointers.mcu"

void step(int* x, int by) {
  ballast::mesi::launch<add_25>(ballast::mesi::threads(n), x, by);
  CHECK(ballast::mesi::host(x)[1] == ballast::mesi::host(x)[2]);
  ballast::mesi::launch<add_27>(ballast::mesi::threads(n), x, by);
}
int read_after_launch(int* x) {
  ballast::mesi::launch<add_30>(ballast::mesi::threads(n), x, 1);
  return std::accumulate(ballast::mesi::host(x), ballast::mesi::host(x) + n, 0);
}
int& element(int* x, int i) { return ballast::mesi::open(x)[i]; }

int main() {
  std::fill(std::begin(a.update()), std::end(a.update()), 1);
  int* p = a.address();
  ballast::mesi::launch<add_38>(ballast::mesi::threads(n), a.address(), 2);
  CHECK(*ballast::mesi::host(p) == 3 && ballast::mesi::host(p)[n - 1] == 3 && a.read()[4] == 3);
  int& fifth = a.address()[5];
  step(p, 10);
  CHECK(ballast::mesi::host(fifth) == 23);
  ballast::mesi::host(fifth) = 1;
  ballast::mesi::launch<add_44>(ballast::mesi::threads(n), p, 1);
  CHECK(a.read()[5] == 2 && a.read()[6] == 24);
  CHECK(read_after_launch(a.address()) == 500 * 25 - 22);

  int *from = a.address(), *to = b.address();
  for (int i = 0; i < 5; ++i) {
    ballast::mesi::launch<copy_50>(ballast::mesi::threads(n), from, to);
    ballast::mesi::launch<add_51>(ballast::mesi::threads(n), to, 1);
    std::swap(from, to);
  }
  CHECK(ballast::mesi::host(from)[0] == 30 && ballast::mesi::host(to)[0] == 29 && b.read()[5] == 8);
  auto look = [p] { return ballast::mesi::host(p)[7]; };
  auto change = [&](int v) { a.update()[7] = v; };
  ballast::mesi::launch<add_57>(ballast::mesi::threads(n), a.address(), 1);
  int const before = look();
  change(before + 1);
  CHECK(look() == before + 1);
  std::function<void()> launch = [&] { ballast::mesi::launch<add_61>(ballast::mesi::threads(n), a.address(), 5); };
  int* seventh = &a.address()[7];
  launch();
  CHECK(*ballast::mesi::host(seventh) == before + 6 && FIRST(a.read()) == *ballast::mesi::host(p));

  ballast::mesi::launch<mark_66>(ballast::mesi::threads(columns, rows), table.address());
  int sum = 0;
  for (auto const& row : table.read())
    for (int x : row) sum += x;
  CHECK(sum == columns * 100 * 190 + rows * 300);
  auto& row = table.address()[3];
  ballast::mesi::launch<mark_72>(ballast::mesi::threads(columns, rows - 3), table.address() + 3);
  CHECK(ballast::mesi::host(row)[4] == 4 && table.read()[4][4] == 104 && table.read()[2][4] == 204);

  while (ballast::mesi::launch<next_round_75>(ballast::mesi::threads(1), &::rounds.address()), rounds.read() < 7) {
  }
  CHECK(rounds.read() == 7);
  cells.update()[3].set(4);
  ballast::mesi::launch<raise_79>(ballast::mesi::threads(n), cells.address());
  CHECK(cells.read()[3].twice() == 10 && cells.read()[4].value == 1);
  cell* last = std::end(cells.update()) - 1;
  ballast::mesi::launch<raise_82>(ballast::mesi::threads(n), cells.address());
  CHECK(ballast::mesi::host(last)->value == 2 && (*ballast::mesi::host(last)).twice() == 4);
  element(a.update(), 2) = 77;
  int& second = element(a.update(), 2);
  ballast::mesi::launch<add_86>(ballast::mesi::threads(n), a.address(), 1);
  CHECK(ballast::mesi::host(second) == 78 && a.read()[2] == 78);
  std::vector<int> kept(a.update(), a.update() + 3);
  ballast::mesi::launch<add_89>(ballast::mesi::threads(n), a.address(), 1);
  CHECK(kept[2] == 78 && *std::max_element(a.update(), a.update() + n) == 79);
  std::span<int> view(ballast::mesi::open(b));
  ballast::mesi::launch<add_92>(ballast::mesi::threads(n), b.address(), 1000);
  CHECK(view[0] == b.read()[0] && view[0] > 1000);
  std::printf("%d failures\n", failures);
  return failures != 0;
}

BALLAST_MESI_KERNELS(add_25, add_27, add_30, add_38, add_44, copy_50, add_51, add_57, add_61, mark_66, mark_72, next_round_75, raise_79, raise_82, add_86, add_89, add_92)
