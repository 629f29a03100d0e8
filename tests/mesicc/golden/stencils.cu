#include <ballast/mesi/mesi.cuh>
#line 1 "stencils.mcu"
// Cells and their neighbours: as stencil_kernels.cpp beside it says in its own words.
#include "kernels.h"

namespace of_hotspot {
ballast::mesi::variable<float[ROWS][COLUMNS]> src{"src"}, power{"power"}, dst{"dst"};
BALLAST_HD void hotspot(ballast::mesi::thread_id lThreadId, float src[][COLUMNS], float power[][COLUMNS], float dst[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  int const up = y == 0 ? 0 : y - 1, down = y == ROWS - 1 ? ROWS - 1 : y + 1;
  int const left = x == 0 ? 0 : x - 1, right = x == COLUMNS - 1 ? COLUMNS - 1 : x + 1;
  float const around = src[up][x] + src[down][x] + src[y][left] + src[y][right];
  dst[y][x] = src[y][x] + power[y][x] + around;
}
#line 1 "stencils.mcu, launch in line 15"
namespace {
struct hotspot_15 {
  float (*src)[29];
  float (*power)[29];
  float (*dst)[29];
  static constexpr char name[] = "hotspot";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict src)[29] = this->src;
    float (*__restrict power)[29] = this->power;
    float (*__restrict dst)[29] = this->dst;
    hotspot(lThreadId, src, power, dst);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(src, "src", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 29), std::min<std::int64_t>(1247, 29 * part.end + 29)}}; }),
                      of.reads(power, "power", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }),
                      of.writes(dst, "dst", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin, 29 * part.end}}; }));
  }
  void bind(auto src_here, auto power_here, auto dst_here) {
    src = ballast::mesi::biased(src, src_here);
    power = ballast::mesi::biased(power, power_here);
    dst = ballast::mesi::biased(dst, dst_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(src); f(power); f(dst); }
};
}  // namespace
#line 13 "stencils.mcu"
void run() {
  fill(src.update()), fill(power.update(), 4);
  ballast::mesi::launch<::of_hotspot::hotspot_15>(ballast::mesi::threads(COLUMNS, ROWS), src.address(), power.address(), dst.address());
  show("hotspot", dst.read());
}
}  // namespace of_hotspot

namespace of_clamped {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void clamped(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  d[y][x] = s[std::max(y - 1, 0)][x] + s[std::min(y + 1, ROWS - 1)][x] + s[y][std::max(x - 1, 0)] +
            s[y][std::min(x + 1, COLUMNS - 1)];
}
#line 1 "stencils.mcu, launch in line 29"
namespace {
struct clamped_29 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "clamped";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    clamped(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 29), std::min<std::int64_t>(1247, 29 * part.end + 29)}}; }),
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
#line 27 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_clamped::clamped_29>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("clamped", d.read());
}
}  // namespace of_clamped

namespace of_guarded {
ballast::mesi::variable<float[ROWS * COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void guarded(ballast::mesi::thread_id lThreadId, float* s, float* d) {
  int const y = lThreadId.y, x = lThreadId.x, here = y * COLUMNS + x;
  if (x >= COLUMNS || y >= ROWS) return;
  float sum = s[here];
  if (y > 0) sum += s[here - COLUMNS];
  if (y < ROWS - 1) sum += s[here + COLUMNS];
  if (x > 0) sum += s[here - 1];
  if (x < COLUMNS - 1) sum += s[here + 1];
  d[here] = sum;
}
#line 1 "stencils.mcu, launch in line 48"
namespace {
struct guarded_48 {
  float *s;
  float *d;
  static constexpr char name[] = "guarded";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float *__restrict s = this->s;
    float *__restrict d = this->d;
    guarded(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 29), std::min<std::int64_t>(1247, 29 * part.end + 29)}}; }),
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
#line 46 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_guarded::guarded_48>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("guarded", d.read());
}
}  // namespace of_guarded

namespace of_interior {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void interior(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  if (x > 0 && x < COLUMNS - 1 && y > 0 && y < ROWS - 1)
    d[y][x] = s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1];
}
#line 1 "stencils.mcu, launch in line 62"
namespace {
struct interior_62 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "interior";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    interior(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{2 <= part.end && part.begin <= 41 ? std::max<std::int64_t>(1, 29 * part.begin - 28) : 0, 2 <= part.end && part.begin <= 41 ? std::min<std::int64_t>(1246, 29 * part.end + 28) : 0}}; }),
                      of.updates(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(30, 29 * part.begin + 1), std::min<std::int64_t>(1217, 29 * part.end - 1)}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 60 "stencils.mcu"
void run() {
  fill(s.update()), fill(d.update(), 9);
  ballast::mesi::launch<::of_interior::interior_62>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("interior", d.read());
}
}  // namespace of_interior

namespace of_periodic {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void periodic(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  d[y][x] = s[(y - 1 + ROWS) % ROWS][x] + s[(y + 1) % ROWS][x] + s[y][(x - 1 + COLUMNS) % COLUMNS] +
            s[y][(x + 1) % COLUMNS];
}
#line 1 "stencils.mcu, launch in line 76"
namespace {
struct periodic_76 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "periodic";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    periodic(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 29), std::min<std::int64_t>(1247, 29 * part.end + 29)}, {0, part.end == 43 ? 29 : 0}, {part.begin == 0 ? 1218 : 0, part.begin == 0 ? 1247 : 0}}; }),
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
#line 74 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_periodic::periodic_76>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("periodic", d.read());
}
}  // namespace of_periodic

namespace of_line {
ballast::mesi::variable<float[ROWS]> s{"s"}, d{"d"};
BALLAST_HD int before(int i) { return i > 0 ? i - 1 : 0; }
template <int size>
BALLAST_HD int behind(int i) {
  return i + 1 < size ? i + 1 : size - 1;
}
BALLAST_HD void line(ballast::mesi::thread_id lThreadId, float* s, float* d) {
  int const i = lThreadId.x;
  d[i] = s[before(i)] + s[i] + s[behind<ROWS>(i)];
}
#line 1 "stencils.mcu, launch in line 94"
namespace {
struct line_94 {
  float *s;
  float *d;
  static constexpr char name[] = "line";
  static constexpr ballast::mesi::launch_form form{64, 1, ballast::mesi::axis::x};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float *__restrict s = this->s;
    float *__restrict d = this->d;
    line(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, part.begin - 1), std::min<std::int64_t>(43, part.end + 1)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin, part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 92 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_line::line_94>(ballast::mesi::threads(ROWS), s.address(), d.address());
  show("line", d.read());
}
}  // namespace of_line

namespace of_column_of_cells {
ballast::mesi::variable<float[ROWS][COLUMNS][5]> s{"s"}, d{"d"};
BALLAST_HD void column_of_cells(ballast::mesi::thread_id lThreadId, float s[][COLUMNS][5], float d[][COLUMNS][5]) {
  int const y = lThreadId.y, x = lThreadId.x;
  for (int z = 0; z < 5; ++z)
    d[y][x][z] = s[std::max(y - 1, 0)][x][z] + s[std::min(y + 1, ROWS - 1)][x][z] + s[y][std::max(x - 1, 0)][z] +
                 s[y][std::min(x + 1, COLUMNS - 1)][z] + s[y][x][std::max(z - 1, 0)] + s[y][x][std::min(z + 1, 4)];
}
#line 1 "stencils.mcu, launch in line 109"
namespace {
struct column_of_cells_109 {
  float (*s)[29][5];
  float (*d)[29][5];
  static constexpr char name[] = "column_of_cells";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29][5] = this->s;
    float (*__restrict d)[29][5] = this->d;
    column_of_cells(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 145 * part.begin - 145), std::min<std::int64_t>(6235, 145 * part.end + 145)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{145 * part.begin, 145 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 107 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_column_of_cells::column_of_cells_109>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("column_of_cells", d.read());
}
}  // namespace of_column_of_cells

namespace of_box {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void box(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  float sum = 0;
  for (int i = std::max(y - 2, 0); i < std::min(y + 3, ROWS); ++i)
    for (int j = std::max(x - 2, 0); j < std::min(x + 3, COLUMNS); ++j) sum += s[i][j];
  d[y][x] = sum;
}
#line 1 "stencils.mcu, launch in line 125"
namespace {
struct box_125 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "box";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    box(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 58), std::min<std::int64_t>(1247, 29 * part.end + 58)}}; }),
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
#line 123 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_box::box_125>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("box", d.read());
}
}  // namespace of_box

namespace of_clamped_box {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void clamped_box(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  float sum = 0;
  for (int i = -8; i <= 8; ++i) {
    int const row = std::clamp(lThreadId.y + i, 0, ROWS - 1);
    for (int j = -8; j <= 8; ++j) sum += s[row][std::clamp(lThreadId.x + j, 0, COLUMNS - 1)];
  }
  d[lThreadId.y][lThreadId.x] = sum;
}
#line 1 "stencils.mcu, launch in line 142"
namespace {
struct clamped_box_142 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "clamped_box";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    clamped_box(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 29 * part.begin - 232), std::min<std::int64_t>(1247, 29 * part.end + 232)}}; }),
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
#line 140 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_clamped_box::clamped_box_142>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("clamped_box", d.read());
}
}  // namespace of_clamped_box

namespace of_cube {
ballast::mesi::variable<float[ROWS][COLUMNS][4]> s{"s"}, d{"d"};
BALLAST_HD int within(int index, int size) { return std::min(std::max(index, 0), size - 1); }
BALLAST_HD void cube(ballast::mesi::thread_id lThreadId, float s[][COLUMNS][4], float d[][COLUMNS][4]) {
  int const y = lThreadId.y, x = lThreadId.x;
  for (int z = 0; z < 4; ++z) {
    float sum = 0;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) sum += s[within(y + i, ROWS)][within(x + j, COLUMNS)][within(z + k, 4)];
    d[y][x][z] = sum;
  }
}
#line 1 "stencils.mcu, launch in line 162"
namespace {
struct cube_162 {
  float (*s)[29][4];
  float (*d)[29][4];
  static constexpr char name[] = "cube";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29][4] = this->s;
    float (*__restrict d)[29][4] = this->d;
    cube(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(0, 116 * part.begin - 116), std::min<std::int64_t>(4988, 116 * part.end + 116)}}; }),
                      of.writes(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{116 * part.begin, 116 * part.end}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 160 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_cube::cube_162>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("cube", d.read());
}
}  // namespace of_cube

namespace of_periodic_box {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void periodic_box(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  float sum = 0;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) sum += s[(y + i + 2 * ROWS) % ROWS][(x + j + 2 * COLUMNS) % COLUMNS];
  d[y][x] = sum;
}
#line 1 "stencils.mcu, launch in line 178"
namespace {
struct periodic_box_178 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "periodic_box";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y, 1, ballast::mesi::registers::few};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    periodic_box(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{29 * part.begin + 1189, 1247}, {0, 29 * part.end - 1189}, {std::max<std::int64_t>(0, 29 * part.begin - 58), std::min<std::int64_t>(1247, 29 * part.end + 58)}}; }),
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
#line 176 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_periodic_box::periodic_box_178>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("periodic_box", d.read());
}
}  // namespace of_periodic_box

namespace of_red_and_black {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void red_and_black(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  if ((x + y) % 2 == 0 && y > 0 && y < ROWS - 1) d[y][x] = s[y - 1][x] + s[y + 1][x];
}
#line 1 "stencils.mcu, launch in line 191"
namespace {
struct red_and_black_191 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "red_and_black";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    red_and_black(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{2 <= part.end && part.begin <= 41 ? std::max<std::int64_t>(1, part.begin % 2 + 29 * part.begin - 29) : 0, 2 <= part.end && part.begin <= 41 ? std::min<std::int64_t>(1246, part.end % 2 + 29 * part.end + 28) : 0}}; }),
                      of.updates(d, "d", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{std::max<std::int64_t>(30, part.begin % 2 + 29 * part.begin), std::min<std::int64_t>(1217, part.end % 2 + 29 * part.end - 1)}}; }));
  }
  void bind(auto s_here, auto d_here) {
    s = ballast::mesi::biased(s, s_here);
    d = ballast::mesi::biased(d, d_here);
  }
  template <class F>
  void for_each_array([[maybe_unused]] F f) const { f(s); f(d); }
};
}  // namespace
#line 189 "stencils.mcu"
void run() {
  fill(s.update()), fill(d.update(), 6);
  ballast::mesi::launch<::of_red_and_black::red_and_black_191>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("red_and_black", d.read());
}
}  // namespace of_red_and_black

namespace of_with_border {
ballast::mesi::variable<float[ROWS][COLUMNS]> s{"s"}, d{"d"};
BALLAST_HD void with_border(ballast::mesi::thread_id lThreadId, float s[][COLUMNS], float d[][COLUMNS]) {
  int const y = lThreadId.y, x = lThreadId.x;
  if (x > 0 && x < COLUMNS - 1 && y > 0 && y < ROWS - 1)
    d[y][x] = s[y - 1][x] + s[y + 1][x];
  else
    d[y][x] = s[y][x];
}
#line 1 "stencils.mcu, launch in line 207"
namespace {
struct with_border_207 {
  float (*s)[29];
  float (*d)[29];
  static constexpr char name[] = "with_border";
  static constexpr ballast::mesi::launch_form form{32, 2, ballast::mesi::axis::y};
  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {
    float (*__restrict s)[29] = this->s;
    float (*__restrict d)[29] = this->d;
    with_border(lThreadId, s, d);
  }
  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {
    return std::tuple(of.reads(s, "s", [=](ballast::mesi::part part) { return ballast::mesi::ranges{{part.begin == 0 ? 0 : (part.end == 43 && part.begin == 42 ? 1218 : 29 * part.begin - 28), part.end == 1 && part.begin == 0 ? 29 : (part.end == 42 ? 1246 : std::min<std::int64_t>(1247, 29 * part.end + 28))}}; }),
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
#line 205 "stencils.mcu"
void run() {
  fill(s.update());
  ballast::mesi::launch<::of_with_border::with_border_207>(ballast::mesi::threads(COLUMNS, ROWS), s.address(), d.address());
  show("with_border", d.read());
}
}  // namespace of_with_border

int main() {
  of_hotspot::run(), of_clamped::run(), of_guarded::run(), of_interior::run(), of_periodic::run();
  of_line::run(), of_column_of_cells::run(), of_box::run(), of_clamped_box::run(), of_cube::run();
  of_periodic_box::run(), of_red_and_black::run(), of_with_border::run();
}

BALLAST_MESI_KERNELS(::of_hotspot::hotspot_15, ::of_clamped::clamped_29, ::of_guarded::guarded_48, ::of_interior::interior_62, ::of_periodic::periodic_76, ::of_line::line_94, ::of_column_of_cells::column_of_cells_109, ::of_box::box_125, ::of_clamped_box::clamped_box_142, ::of_cube::cube_162, ::of_periodic_box::periodic_box_178, ::of_red_and_black::red_and_black_191, ::of_with_border::with_border_207)
