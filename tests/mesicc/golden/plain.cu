#include <ballast/mesi/mesi.cuh>
#line 1 "plain.mcu"
// Products, transposes, orders of elements: as plain_kernels.cpp beside it says in its own words.
#include "kernels.h"

namespace of_matmul {
ballast::mesi::variable<float[ROWS][ROWS]> a{"a"}; ballast::mesi::variable<float[ROWS][COLUMNS]> b{"b"}, c{"c"};
BALLAST_HD void matmul(ballast::mesi::thread_id lThreadId, float a[][ROWS], float b[][COLUMNS], float c[][COLUMNS]) {
  int row = lThreadId.y, col = lThreadId.x;
  c[row][col] = 0;
  for (int i = 0; i < ROWS; i++) c[row][col] += a[row][i] * b[i][col];
}
#line 1 "plain.mcu, launch in line 13"
namespace {
struct matmul_13 {
  float (*a)[43];
  float (*b)[29];
  float (*c)[29];
  static constexpr char name[] = "matmul";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict a)[43] = this->a;
    float (*__restrict b)[29] = this->b;
    float (*__restrict c)[29] = this->c;
    matmul(lThreadId, a, b, c);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{43 * part.begin, 43 * part.end}}; }),
                      of.reads_all(b, "b"),
                      of.writes(c, "c", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
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
#line 11 "plain.mcu"
void run() {
  fill(a.update()), fill(b.update(), 3);
  ballast::mesi::launch<::of_matmul::matmul_13>(ballast::mesi::threads(COLUMNS, ROWS), a.address(), b.address(), c.address());
  show("matmul", c.read());
}
}  // namespace of_matmul

namespace of_saxpy {
ballast::mesi::variable<float[ROWS]> x{"x"}, y{"y"};
BALLAST_HD void saxpy(ballast::mesi::thread_id lThreadId, const float* x, float* y) { y[lThreadId.x] += 3 * x[lThreadId.x]; }
#line 1 "plain.mcu, launch in line 23"
namespace {
struct saxpy_23 {
  const float *x;
  float *y;
  static constexpr char name[] = "saxpy";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const float *__restrict x = this->x;
    float *__restrict y = this->y;
    saxpy(lThreadId, x, y);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(x, "x", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }),
                      of.updates(y, "y", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto x_here, auto y_here) {
    x = ballast::mesi::biased(x, x_here);
    y = ballast::mesi::biased(y, y_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(x); f(y); }
};
}  // namespace
#line 21 "plain.mcu"
void run() {
  fill(x.update()), fill(y.update(), 5);
  ballast::mesi::launch<::of_saxpy::saxpy_23>(ballast::mesi::threads(ROWS), x.address(), y.address());
  show("saxpy", y.read());
}
}  // namespace of_saxpy

namespace of_copy_some {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void copy_some(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  if (lThreadId.x >= COLUMNS || lThreadId.y >= ROWS) return;
  d[lThreadId.y][lThreadId.x] = s[lThreadId.y][lThreadId.x];
}
#line 1 "plain.mcu, launch in line 36"
namespace {
struct copy_some_36 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "copy_some";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    copy_some(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, std::min<std::int64_t>(1247, 29 * part.end)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, std::min<std::int64_t>(1247, 29 * part.end)}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 34 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_copy_some::copy_some_36>(ballast::mesi::threads(COLUMNS + 3, ROWS + 2), s.address(), d.address());
  show("copy_some", d.read());
}
}  // namespace of_copy_some

namespace of_transpose {
ballast::mesi::variable<float[COLUMNS][ROWS]> s{"s"}; ballast::mesi::variable<float[ROWS][COLUMNS]> d{"d"};
BALLAST_HD void transpose(ballast::mesi::thread_id lThreadId, float s[][ROWS], float d[][COLUMNS]) {
  d[lThreadId.y][lThreadId.x] = s[lThreadId.x][lThreadId.y];
}
#line 1 "plain.mcu, launch in line 48"
namespace {
struct transpose_48 {
  float (*s)[43];
  float (*d)[29];
  static constexpr char name[] = "transpose";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[43] = this->s;
    float (*__restrict d)[29] = this->d;
    transpose(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end + 1204}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 46 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_transpose::transpose_48>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("transpose", d.read());
}
}  // namespace of_transpose

namespace of_transpose_along_x {
ballast::mesi::variable<float[COLUMNS][ROWS]> s{"s"}; ballast::mesi::variable<float[ROWS][COLUMNS]> d{"d"};
BALLAST_HD void transpose_along_x(ballast::mesi::thread_id lThreadId, float s[][ROWS], float d[][COLUMNS]) {
  d[lThreadId.x][lThreadId.y] = s[lThreadId.y][lThreadId.x];
}
#line 1 "plain.mcu, launch in line 60"
namespace {
struct transpose_along_x_60 {
  float (*s)[43];
  float (*d)[29];
  static constexpr char name[] = "transpose_along_x";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[43] = this->s;
    float (*__restrict d)[29] = this->d;
    transpose_along_x(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end + 1204}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 58 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_transpose_along_x::transpose_along_x_60>(ballast::mesi::threads(ROWS, COLUMNS), s.address(), d.address());
  show("transpose_along_x", d.read());
}
}  // namespace of_transpose_along_x

namespace of_reversed {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void reversed(ballast::mesi::thread_id lThreadId, float (*s)[COLUMNS], float (*d)[COLUMNS]) {
  d[ROWS - 1 - lThreadId.y][COLUMNS - 1 - lThreadId.x] = s[lThreadId.y][lThreadId.x];
}
#line 1 "plain.mcu, launch in line 72"
namespace {
struct reversed_72 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "reversed";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    reversed(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{-29 * part.end + 1247, -29 * part.begin + 1247}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 70 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_reversed::reversed_72>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("reversed", d.read());
}
}  // namespace of_reversed

namespace of_triangular {
ballast::mesi::variable<float[ROWS][ROWS]> a{"a"}; ballast::mesi::variable<float[ROWS]> v{"v"}, r{"r"};
BALLAST_HD void triangular(ballast::mesi::thread_id lThreadId, float a[][ROWS], float* v, float* r) {
  int const row = lThreadId.x;
  r[row] = 0;
  for (int i = 0; i <= row; ++i) r[row] += a[row][i] * v[i];
}
#line 1 "plain.mcu, launch in line 86"
namespace {
struct triangular_86 {
  float (*a)[43];
  float *v;
  float *r;
  static constexpr char name[] = "triangular";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict a)[43] = this->a;
    float *__restrict v = this->v;
    float *__restrict r = this->r;
    triangular(lThreadId, a, v, r);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{43 * part.begin, 44 * part.end - 43}}; }),
                      of.reads(v, "v", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{0, part.end}}; }),
                      of.writes(r, "r", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto a_here, auto v_here, auto r_here) {
    a = ballast::mesi::biased(a, a_here);
    v = ballast::mesi::biased(v, v_here);
    r = ballast::mesi::biased(r, r_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(v); f(r); }
};
}  // namespace
#line 84 "plain.mcu"
void run() {
  fill(a.update()), fill(v.update(), 4);
  ballast::mesi::launch<::of_triangular::triangular_86>(ballast::mesi::threads(ROWS), a.address(), v.address(), r.address());
  show("triangular", r.read());
}
}  // namespace of_triangular

namespace of_strided {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void strided(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  for (int j = lThreadId.x; j < COLUMNS; j += 4) d[lThreadId.y][j] = 2 * s[lThreadId.y][j];
}
#line 1 "plain.mcu, launch in line 98"
namespace {
struct strided_98 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "strided";
  static constexpr ballast::mesi::launch_form form{4, 16, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    strided(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 96 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_strided::strided_98>(ballast::mesi::threads(4, ROWS), s.address(), d.address());
  show("strided", d.read());
}
}  // namespace of_strided

namespace of_row_sums {
ballast::mesi::variable<float[ROWS][COLUMNS]> a{"a"};
ballast::mesi::variable<double[ROWS]> s{"s"};
BALLAST_HD void row_sums(ballast::mesi::thread_id lThreadId, const float (*a)[COLUMNS], double* s) {
  for (int j = COLUMNS; j-- > 0;) s[lThreadId.x] += a[lThreadId.x][j];
}
#line 1 "plain.mcu, launch in line 111"
namespace {
struct row_sums_111 {
  const float (*a)[29];
  double *s;
  static constexpr char name[] = "row_sums";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const float (*__restrict a)[29] = this->a;
    double *__restrict s = this->s;
    row_sums(lThreadId, a, s);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.updates_some(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto a_here, auto s_here) {
    a = ballast::mesi::biased(a, a_here);
    s = ballast::mesi::biased(s, s_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(s); }
};
}  // namespace
#line 109 "plain.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_row_sums::row_sums_111>(ballast::mesi::threads(ROWS), a.address(), s.address());
  show_as<double>("row_sums", s.read());
}
}  // namespace of_row_sums

namespace of_column_sums {
ballast::mesi::variable<float[ROWS][COLUMNS]> a{"a"};
ballast::mesi::variable<double[COLUMNS]> s{"s"};
BALLAST_HD void column_sums(ballast::mesi::thread_id lThreadId, float a[][COLUMNS], double* s) {
  double& sum = s[lThreadId.x];
  sum = 0;
  for (int i = 0; i != ROWS; i++) sum += a[i][lThreadId.x];
}
#line 1 "plain.mcu, launch in line 126"
namespace {
struct column_sums_126 {
  float (*a)[29];
  double *s;
  static constexpr char name[] = "column_sums";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict a)[29] = this->a;
    double *__restrict s = this->s;
    column_sums(lThreadId, a, s);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end + 1218}}; }),
                      of.writes(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto a_here, auto s_here) {
    a = ballast::mesi::biased(a, a_here);
    s = ballast::mesi::biased(s, s_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); f(s); }
};
}  // namespace
#line 124 "plain.mcu"
void run() {
  fill(a.update());
  ballast::mesi::launch<::of_column_sums::column_sums_126>(ballast::mesi::threads(COLUMNS), a.address(), s.address());
  show_as<double>("column_sums", s.read());
}
}  // namespace of_column_sums

namespace of_rotated_rows {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void rotated_rows(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  float const* const from = s[(lThreadId.y + 3) % ROWS];
  d[lThreadId.y][lThreadId.x] = from[lThreadId.x];
}
#line 1 "plain.mcu, launch in line 139"
namespace {
struct rotated_rows_139 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "rotated_rows";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    rotated_rows(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin + 87, std::min<std::int64_t>(1247, 29 * part.end + 87)}, {std::max<std::int64_t>(0, 29 * part.begin - 1160), 29 * part.end - 1160}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 137 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_rotated_rows::rotated_rows_139>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("rotated_rows", d.read());
}
}  // namespace of_rotated_rows

namespace of_halved {
ballast::mesi::variable<float[2 * ROWS][2 * COLUMNS]> fine{"fine"}; ballast::mesi::variable<float[ROWS][COLUMNS]> coarse{"coarse"};
BALLAST_HD float pair_of(float const* first) { return first[0] + *(first + 1); }
BALLAST_HD void halved(ballast::mesi::thread_id lThreadId, float fine[][2 * COLUMNS], float coarse[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  coarse[y][x] = (pair_of(&fine[2 * y][2 * x]) + pair_of(&fine[2 * y + 1][2 * x])) / 4;
}
#line 1 "plain.mcu, launch in line 153"
namespace {
struct halved_153 {
  float (*fine)[58];
  float (*coarse)[29];
  static constexpr char name[] = "halved";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict fine)[58] = this->fine;
    float (*__restrict coarse)[29] = this->coarse;
    halved(lThreadId, fine, coarse);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(fine, "fine", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{116 * part.begin, 116 * part.end}}; }),
                      of.writes(coarse, "coarse", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto fine_here, auto coarse_here) {
    fine = ballast::mesi::biased(fine, fine_here);
    coarse = ballast::mesi::biased(coarse, coarse_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(fine); f(coarse); }
};
}  // namespace
#line 151 "plain.mcu"
void run() {
  fill(fine.update());
  ballast::mesi::launch<::of_halved::halved_153>(ballast::mesi::threads(COLUMNS, ROWS), fine.address(), coarse.address());
  show("halved", coarse.read());
}
}  // namespace of_halved

namespace of_doubled {
ballast::mesi::variable<float[(ROWS + 1) / 2][(COLUMNS + 1) / 2]> coarse{"coarse"}; ballast::mesi::variable<float[ROWS][COLUMNS]> fine{"fine"};
BALLAST_HD void doubled(ballast::mesi::thread_id lThreadId, float coarse[][(COLUMNS + 1) / 2], float fine[][COLUMNS]) {
  fine[lThreadId.y][lThreadId.x] = coarse[lThreadId.y / 2][lThreadId.x >> 1];
}
#line 1 "plain.mcu, launch in line 165"
namespace {
struct doubled_165 {
  float (*coarse)[15];
  float (*fine)[29];
  static constexpr char name[] = "doubled";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict coarse)[15] = this->coarse;
    float (*__restrict fine)[29] = this->fine;
    doubled(lThreadId, coarse, fine);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(coarse, "coarse", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{15 * part.begin - 15 * ((part.begin + 1) / 2), 15 * ((part.end + 1) / 2)}}; }),
                      of.writes(fine, "fine", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto coarse_here, auto fine_here) {
    coarse = ballast::mesi::biased(coarse, coarse_here);
    fine = ballast::mesi::biased(fine, fine_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(coarse); f(fine); }
};
}  // namespace
#line 163 "plain.mcu"
void run() {
  fill(coarse.update());
  ballast::mesi::launch<::of_doubled::doubled_165>(ballast::mesi::threads(COLUMNS, ROWS), coarse.address(), fine.address());
  show("doubled", fine.read());
}
}  // namespace of_doubled

namespace of_every_second {
ballast::mesi::variable<float[ROWS][2 * COLUMNS]> d{"d"};
BALLAST_HD void every_second(ballast::mesi::thread_id lThreadId, float d[][2 * COLUMNS]) { d[lThreadId.y][lThreadId.x << 1] = 100 + lThreadId.x; }
#line 1 "plain.mcu, launch in line 175"
namespace {
struct every_second_175 {
  float (*d)[58];
  static constexpr char name[] = "every_second";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict d)[58] = this->d;
    every_second(lThreadId, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{58 * part.begin, 58 * part.end - 1}}; }));
  }
  void bind(auto d_here) {
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(d); }
};
}  // namespace
#line 173 "plain.mcu"
void run() {
  fill(d.update());
  ballast::mesi::launch<::of_every_second::every_second_175>(ballast::mesi::threads(COLUMNS, ROWS), d.address());
  show("every_second", d.read());
}
}  // namespace of_every_second

namespace of_every_third_of_row {
ballast::mesi::variable<float[ROWS][COLUMNS]> d{"d"};
BALLAST_HD void every_third_of_row(ballast::mesi::thread_id lThreadId, float d[][COLUMNS]) {
  for (int j = 0; j < COLUMNS; j += 3) d[lThreadId.x][j] = 0;
}
#line 1 "plain.mcu, launch in line 187"
namespace {
struct every_third_of_row_187 {
  float (*d)[29];
  static constexpr char name[] = "every_third_of_row";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict d)[29] = this->d;
    every_third_of_row(lThreadId, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.updates(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end - 1}}; }));
  }
  void bind(auto d_here) {
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(d); }
};
}  // namespace
#line 185 "plain.mcu"
void run() {
  fill(d.update());
  ballast::mesi::launch<::of_every_third_of_row::every_third_of_row_187>(ballast::mesi::threads(ROWS), d.address());
  show("every_third_of_row", d.read());
}
}  // namespace of_every_third_of_row

namespace of_bodies {
ballast::mesi::variable<float[ROWS][3]> p{"p"}, v{"v"};
BALLAST_HD void bodies(ballast::mesi::thread_id lThreadId, const float p[][3], float v[][3]) {
  for (int j = 0; j < ROWS; ++j)
    for (int i = 0; i < 3; ++i) v[lThreadId.x][i] += p[j][i] - p[lThreadId.x][i];
}
#line 1 "plain.mcu, launch in line 200"
namespace {
struct bodies_200 {
  const float (*p)[3];
  float (*v)[3];
  static constexpr char name[] = "bodies";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    const float (*__restrict p)[3] = this->p;
    float (*__restrict v)[3] = this->v;
    bodies(lThreadId, p, v);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads_all(p, "p"),
                      of.updates(v, "v", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{3 * part.begin, 3 * part.end}}; }));
  }
  void bind(auto p_here, auto v_here) {
    p = ballast::mesi::biased(p, p_here);
    v = ballast::mesi::biased(v, v_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(p); f(v); }
};
}  // namespace
#line 198 "plain.mcu"
void run() {
  fill(p.update()), fill(v.update(), 8);
  ballast::mesi::launch<::of_bodies::bodies_200>(ballast::mesi::threads(ROWS), p.address(), v.address());
  show("bodies", v.read());
}
}  // namespace of_bodies

namespace of_elimination {
ballast::mesi::variable<float[ROWS][ROWS]> a{"a"};
BALLAST_HD void elimination(ballast::mesi::thread_id lThreadId, float a[][ROWS], unsigned short i) {
  int const y = lThreadId.y, x = lThreadId.x;
  if (y <= i || x <= i) return;
  a[y][x] -= a[y][i] * a[i][x];
}
#line 1 "plain.mcu, launch in line 214"
namespace {
struct elimination_214 {
  float (*a)[43];
  unsigned short i;
  static constexpr char name[] = "elimination";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict a)[43] = this->a;
    elimination(lThreadId, a, i);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    std::int64_t const i = of.bound(this->i, "i");
    return std::tuple(of.updates(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(44 * i + 44, i + 43 * part.begin + 1), 43 * part.end}}; }),
                      of.reads(a, "a", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{i + 2 <= part.end ? 44 * i + 1 : 0, i + 2 <= part.end ? 43 * i + 43 : 0}, {std::max<std::int64_t>(44 * i + 43, i + 43 * part.begin), 43 * part.end}}; }));
  }
  void bind(auto a_here, auto) {
    a = ballast::mesi::biased(a, a_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(a); }
};
}  // namespace
#line 212 "plain.mcu"
void run() {
  fill(a.update());
  for (int i = 0; i < 2; ++i) ballast::mesi::launch<::of_elimination::elimination_214>(ballast::mesi::threads(ROWS, ROWS), a.address(), i);
  show("elimination", a.read());
}
}  // namespace of_elimination

namespace of_pointer_walk {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void pointer_walk(ballast::mesi::thread_id lThreadId, float* s, float* d) {
  s += lThreadId.y * COLUMNS;
  float* to = d + COLUMNS * lThreadId.y;
  to += lThreadId.x;
  *to = *(s + lThreadId.x);
}
#line 1 "plain.mcu, launch in line 229"
namespace {
struct pointer_walk_229 {
  float *s;
  float *d;
  static constexpr char name[] = "pointer_walk";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float *__restrict s = this->s;
    float *__restrict d = this->d;
    pointer_walk(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 227 "plain.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_pointer_walk::pointer_walk_229>(ballast::mesi::threads(COLUMNS, ROWS), &s.address()[0][0], d.address()[0]);
  show("pointer_walk", d.read());
}
}  // namespace of_pointer_walk

int main() {
  of_matmul::run(), of_saxpy::run(), of_copy_some::run(), of_transpose::run(), of_transpose_along_x::run();
  of_reversed::run(), of_triangular::run(), of_strided::run(), of_row_sums::run(), of_column_sums::run();
  of_rotated_rows::run(), of_halved::run(), of_doubled::run(), of_every_second::run();
  of_every_third_of_row::run(), of_bodies::run(), of_elimination::run(), of_pointer_walk::run();
}

BALLAST_MESI_KERNELS(::of_matmul::matmul_13, ::of_saxpy::saxpy_23, ::of_copy_some::copy_some_36, ::of_transpose::transpose_48, ::of_transpose_along_x::transpose_along_x_60, ::of_reversed::reversed_72, ::of_triangular::triangular_86, ::of_strided::strided_98, ::of_row_sums::row_sums_111, ::of_column_sums::column_sums_126, ::of_rotated_rows::rotated_rows_139, ::of_halved::halved_153, ::of_doubled::doubled_165, ::of_every_second::every_second_175, ::of_every_third_of_row::every_third_of_row_187, ::of_bodies::bodies_200, ::of_elimination::elimination_214, ::of_pointer_walk::pointer_walk_229)
