// SPDX-License-Identifier: Apache-2.0
// Which access each reference of host code to a shared variable gets.
#include <vector>

#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

using testing::HasSubstr;

std::string const declarations = R"(#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>
constexpr int R = 13, C = 11;
__global__ float t[R][C], u[R][C], p[R * C], total;
__global__ int n;
struct cell { float v; float get() const { return v; } void set(float x) { v = x; } };
__global__ cell cells[4];
void show(float const* row);
void change(float* row) { row[0] = 1; }
__global__ void fill(float* a) { a[lThreadId.x] = 1; }
)";

struct line {
  std::string written, result;
};

/// Each line stands in a function of its own.
void expect(std::vector<line> const& lines) {
  auto source = declarations;
  for (std::size_t i = 0; i < lines.size(); ++i)
    source +=
        "int f" + std::to_string(i) + "(int i, float x) {\n" + lines[i].written + "\nreturn i + int(x);\n}\n";
  auto const text = translated(source);
  for (auto const& [written, result] : lines) EXPECT_THAT(text, HasSubstr("\n" + result + "\n")) << written;
}

TEST(mesicc_host_code, reads_where_a_value_is_taken) {
  expect(
      {{"x = t[1][2] + p[i] * total;", "x = t.read()[1][2] + p.read()[i] * total.read();"},
       {"if (p[0] > 3 && n < 2) return n;", "if (p.read()[0] > 3 && n.read() < 2) return n.read();"},
       {"while (p[i] < 3) ++i;", "while (p.read()[i] < 3) ++i;"},
       {"std::printf(\"%f\", t[i][n]);", "std::printf(\"%f\", t.read()[i][n.read()]);"},
       {"x = *p + *(p + 3) + i[p];", "x = *p.read() + *(p.read() + 3) + i[p.read()];"},
       {"x = cells[1].v + cells[2].get();", "x = cells.read()[1].v + cells.read()[2].get();"},
       {"float const y = i ? t[0][0] : u[0][0]; x = y;",
        "float const y = i ? t.read()[0][0] : u.read()[0][0]; x = y;"},
       {"auto [one, two, three, four] = cells; x = two.v;",
        "auto [one, two, three, four] = cells.read(); x = two.v;"},
       {"auto [of_one] = cells[1]; for (auto [of_each] : cells) x += of_each; x += of_one;",
        "auto [of_one] = cells.read()[1]; for (auto [of_each] : cells.read()) x += of_each; x += of_one;"}});
}

TEST(mesicc_host_code, updates_where_an_element_is_changed) {
  expect({{"t[0][0] = 3; t[0][1] += 2; ++p[3]; p[4]--; total = u[0][0];",
           "t.update()[0][0] = 3; t.update()[0][1] += 2; ++p.update()[3]; p.update()[4]--; total.update() = "
           "u.read()[0][0];"},
          {"cells[1].v = 2; cells[2].set(x);", "cells.update()[1].v = 2; cells.update()[2].set(x);"},
          {"std::swap(t[0][0], u[0][0]);", "std::swap(t.update()[0][0], u.update()[0][0]);"},
          {"*p = 1; *(p + i) = 2;", "*p.update() = 1; *(p.update() + i) = 2;"},
          {"std::cin >> n;", "std::cin >> n.update();"}});
}

TEST(mesicc_host_code, looks_at_the_parameter_where_an_array_is_handed_over) {
  expect(
      {{"change(p); change(t[3]); change(&p[2]);",
        "change(p.update()); change(t.update()[3]); change(&p.update()[2]);"},
       {"x = std::accumulate(std::begin(p), std::end(p), 0.f);",
        "x = std::accumulate(std::begin(p.update()), std::end(p.update()), 0.f);"},
       {"std::fill(&t[0][0], &t[0][0] + 3, x);", "std::fill(&t.update()[0][0], &t.update()[0][0] + 3, x);"},
       {"x = std::max(p[0], p[1]);", "x = std::max(p.read()[0], p.read()[1]);"},
       {"std::vector<float> v(p, p + 4); x = v[0];",
        "std::vector<float> v(p.update(), p.update() + 4); x = v[0];"}});
}

TEST(mesicc_host_code, goes_through_arrays_as_the_loop_wants_them) {
  expect({{"for (float e : p) x += e;", "for (float e : p.read()) x += e;"},
          {"for (float const& e : p) x += e;", "for (float const& e : p.read()) x += e;"},
          {"for (auto& row : t) for (auto& e : row) e = x;",
           "for (auto& row : t.update()) for (auto& e : row) e = x;"}});
}

TEST(mesicc_host_code, waits_for_nothing_where_only_the_address_counts) {
  expect({{"i = sizeof(t) / sizeof t[0];", "i = sizeof(t.address()) / sizeof t.address()[0];"},
          {"i = p == &t[0][0];", "i = p.address() == &t.address()[0][0];"}});
}

TEST(mesicc_host_code, follows_a_pointer_only_where_a_launch_may_come_between) {
  expect({{"float* q = p; q[3] = x;", "float* q = p.update(); q[3] = x;"},
          {"float const* q = p; x = q[3];", "float const* q = p.read(); x = q[3];"},
          {"float* q = p; fill<<[R * C]>>(q); q[3] = x; x = *q++;",
           "float* q = p.address(); ballast::mesi::launch<fill_25>(ballast::mesi::threads(R * C), q); "
           "ballast::mesi::host(q)[3] = x; x = *ballast::mesi::host(q)++;"}});
}

TEST(mesicc_host_code, changes_what_a_macro_means_where_it_is_written) {
  auto const text =
      translated(declarations +
                 "#define AT(a, i) a[i]\n#define FIRST p[0]\nvoid f() { AT(p, 2) = FIRST; FIRST = 3; }\n");
  EXPECT_THAT(text, HasSubstr("#define AT(a, i) a[i]\n#define FIRST p.update()[0]\nvoid f() { AT(p.update(), "
                              "2) = FIRST; FIRST = 3; }\n"));
}

}  // namespace
}  // namespace ballast::mesicc
