// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "described_source.hpp"

namespace ballast::mesicc {
namespace {

/// A kernel with the arrays s and d of R rows and C columns, p and q of R * C elements, launched over all.
std::string accesses_of(std::string const& body, std::string const& before = "") {
  bool const has_standard = (body + before).find("std::") != std::string::npos;  // whose headers take longest
  return accesses_in(std::string(has_standard ? "#include <algorithm>\n#include <cmath>\n" : "") +
                     "constexpr int R = 13, C = 11;\n"
                     "__global__ float gs[R][C], gd[R][C], gp[R * C], gq[R * C];\n" +
                     before +
                     "__global__ void kernel(float (*s)[C], float (*d)[C], float* p, float* q) {\n"
                     "  int x = lThreadId.x, y = lThreadId.y;\n" +
                     body + "}\nint main() { kernel<<[C, R]>>(gs, gd, gp, gq); }\n");
}

TEST(accesses, of_a_stencil_clamped_by_conditional_expressions) {
  EXPECT_EQ(accesses_of("int n = y == 0 ? 0 : y - 1; d[y][x] = s[n][x] + s[y < R - 1 ? y + 1 : y][x];"),
            "read s[lThreadId.y == 0 ? 0 : lThreadId.y - 1][lThreadId.x]\n"
            "read s[lThreadId.y < 12 ? lThreadId.y + 1 : lThreadId.y][lThreadId.x]\n"
            "write d[lThreadId.y][lThreadId.x]\n");
}

TEST(accesses, of_conditional_expressions_with_a_constant_are_followed) {
  auto const expected = "write d[lThreadId.y < 3 ? lThreadId.x : lThreadId.x + 1][lThreadId.x]\n";
  std::string const start = "int const i = x; int j = x + 1; ";
  EXPECT_EQ(accesses_of(start + "d[y < 3 ? i : j][x] = 1;"), expected);
  EXPECT_EQ(accesses_of(start + "d[(y < 3 ? i : (j))][x] = 1;"), expected);
  EXPECT_EQ(accesses_of(start + "int const& n = y < 3 ? i : j; d[n][x] = 1;"), expected);
  EXPECT_EQ(accesses_of(start + "d[same(y < 3 ? i : j)][x] = 1;",
                        "__device__ int same(int const& i) { return i; }\n"),
            expected);
  EXPECT_EQ(
      accesses_of("float* const one = p; float const* two = q; d[y][x] = *(y < 3 ? one : two);"),
      "read p[0] if lThreadId.y < 3\nread q[0] if !(lThreadId.y < 3)\nwrite d[lThreadId.y][lThreadId.x]\n");
}

TEST(accesses, by_a_reference_that_a_conditional_expression_chose_see_what_is_assigned_later) {
  EXPECT_EQ(accesses_of("int i = x, j = 2; int const& n = y < 3 ? i : j; i = 7; d[y][n] = 1;"),
            "write d[lThreadId.y][lThreadId.y < 3 ? 7 : 2]\n");
  EXPECT_EQ(accesses_of("int i = x; int const j = 2; int& n = y < 3 ? i : i; n = 7; d[y][i] = 1;"),
            "write d[lThreadId.y][?]\n");
}

TEST(accesses, of_a_stencil_clamped_by_min_and_max) {
  EXPECT_EQ(
      accesses_of("d[y][x] = s[std::max(y - 1, 0)][x] + s[std::min(y + 1, R - 1)][std::clamp(x, 1, 3)];"),
      "read s[max(lThreadId.y - 1, 0)][lThreadId.x]\n"
      "read s[min(lThreadId.y + 1, 12)][min(max(lThreadId.x, 1), 3)]\n"
      "write d[lThreadId.y][lThreadId.x]\n");
}

TEST(accesses, behind_an_early_return_are_guarded) {
  EXPECT_EQ(accesses_of("if (x == 0 || y >= R) return; q[y * C + x] = p[y * C + x - 1];"),
            "read p[lThreadId.y * 11 + lThreadId.x - 1] if !(lThreadId.x == 0 || 13 <= lThreadId.y)\n"
            "write q[lThreadId.y * 11 + lThreadId.x] if !(lThreadId.x == 0 || 13 <= lThreadId.y)\n");
}

TEST(accesses, in_branches_are_guarded_and_values_meet_behind_them) {
  EXPECT_EQ(accesses_of("int i = x; if (y > 3) i = x + 1; else if (y > 2) i += 2; d[y][i % C] = 1;"),
            "write d[lThreadId.y][(3 < lThreadId.y ? lThreadId.x + 1 : (2 < lThreadId.y ? lThreadId.x + 2 : "
            "lThreadId.x)) % 11]\n");
}

TEST(accesses, behind_an_and_happen_only_where_its_left_side_holds) {
  EXPECT_EQ(accesses_of("if (y > 0 && s[y - 1][x] > 0) d[y][x] = 1;"),
            "read s[lThreadId.y - 1][lThreadId.x] if 0 < lThreadId.y\n"
            "write d[lThreadId.y][lThreadId.x] if 0 < lThreadId.y && ?\n");
}

TEST(accesses, of_loops_that_count_up_and_down) {
  EXPECT_EQ(accesses_of("for (int k = y; k <= x; ++k) d[y][k] = 1;\n"
                        "for (int k = C - 1; k > x; k -= 2) d[y][k] = 2;\n"
                        "int k = 0; while (k < 3) { q[k] = 3; k++; }\n"
                        "q[k] = 4;"),
            "write d[lThreadId.y][k] in k\n"
            "write d[lThreadId.y][k] in k\n"
            "write q[k] in k\n"
            "write q[3]\n");
}

TEST(accesses, of_a_box_whose_loops_are_clamped) {
  EXPECT_EQ(accesses_of("float sum = 0; for (int j = std::max(y - 2, 0); j <= std::min(y + 2, R - 1); ++j) "
                        "sum += s[j][x]; d[y][x] = sum;"),
            "read s[j][lThreadId.x] in j\nwrite d[lThreadId.y][lThreadId.x]\n");
}

TEST(accesses, by_pointers_that_walk_in_a_loop) {
  EXPECT_EQ(accesses_of("float const* from = p + y * C; float sum = 0; for (int k = 0; k < C; ++k) sum += "
                        "*from++; q[y] = sum;"),
            "read p[lThreadId.y * 11 + k] in k\n"
            "write q[lThreadId.y]\n");
}

TEST(accesses, are_not_moved_by_operands_that_are_not_evaluated) {
  for (auto const* const unevaluated :
       {"(void)sizeof(j++)", "(void)noexcept(j++)", "(void)__builtin_constant_p(j++)", "(void)alignof(j++)",
        "int n = sizeof(j += 2)", "decltype(j++) n = 0", "(void)__builtin_object_size(from++, 0)",
        "(void)typeid(j++)"})
    EXPECT_EQ(accesses_of("int j = 2; float* from = p; for (int k = 0; k < C; ++k) { " +
                              std::string(unevaluated) + "; q[j] = from[1]; } q[j + 1] = 1;",
                          "#include <typeinfo>\n"),
              "read p[1] in k\nwrite q[2] in k\nwrite q[3]\n")
        << unevaluated;
}

TEST(accesses, by_a_reference_that_min_max_or_clamp_returned_see_what_is_assigned_later) {
  auto const read_by = [](std::string const& reference, std::string const& then) {
    return accesses_of(
        "int m = 2, n = 3, o = 4; " + reference + " " + then + " q[r] = 1;",
        "__device__ const int& least(const int& u, const int& v) { return std::min(u, v); }\n");
  };
  EXPECT_EQ(read_by("const int& r = std::min(m, n);", "m = 1;"), "write q[1]\n");
  EXPECT_EQ(read_by("const int& r = std::min(m, n);", "n = 1;"), "write q[2]\n");
  EXPECT_EQ(read_by("const int& r = std::max(m, n);", "n = 7;"), "write q[7]\n");
  EXPECT_EQ(read_by("auto&& r = std::clamp(o, m, n);", "n = 8;"), "write q[8]\n");
  EXPECT_EQ(read_by("auto& r = std::max(std::min(m, n), std::min(n, o));", "n = 9;"), "write q[9]\n");
  EXPECT_EQ(read_by("const int& r = least(m, n);", "m = 6;"), "write q[6]\n");
  EXPECT_EQ(read_by("const int &a = m, &b = n; const int& r = x < 3 ? a : b;", "m = n = 1;"), "write q[1]\n");
  EXPECT_EQ(read_by("int r = std::min(m, n);", "m = 1;"), "write q[2]\n");
  EXPECT_EQ(read_by("const int& r = std::min(m, n);", "const_cast<int&>(r) = 1;"), "write q[?]\n");
}

TEST(accesses, of_a_loop_that_does_not_count_are_of_any_round) {
  EXPECT_EQ(accesses_of("int i = x; while (p[i] > 0) { i = i * 2; q[i] = 1; if (i > 7) break; }"),
            "read p[?]\n"
            "write q[? * 2] if ? maybe\n");
}

TEST(accesses, behind_a_loop_that_may_return_may_not_happen) {
  EXPECT_EQ(accesses_of("for (int k = 0; k < 3; ++k) if (p[k] > 0) return; q[x] = 1;"),
            "read p[k] in k\n"
            "write q[lThreadId.x] if ?\n");
}

TEST(accesses, in_functions_that_a_kernel_calls) {
  EXPECT_EQ(
      accesses_of(
          "put(d, y, x, s[clamped(y - 1, 0, R - 1)][x]);",
          "__device__ int clamped(int v, int low, int high) { if (v < low) return low; return v > high ? "
          "high : v; }\n"
          "__device__ void put(float (*to)[C], int row, int column, float v) { to[row][column] = v; }\n"),
      "read s[lThreadId.y - 1 < 0 ? 0 : (12 < (lThreadId.y - 1) ? 12 : lThreadId.y - 1)][lThreadId.x]\n"
      "write d[lThreadId.y][lThreadId.x]\n");
}

TEST(accesses, by_pointers_into_rows_count_elements_where_they_may_leave_the_row) {
  EXPECT_EQ(
      accesses_of(
          "float* row = d[y]; row[x] = 1; float* all = &d[0][0]; all[y * C + x] = 2; *(&d[y][1] + x) = 3;"),
      "write d[lThreadId.y][lThreadId.x]\n"
      "write d[lThreadId.y * 11 + lThreadId.x]\n"
      "write d[lThreadId.y * 11 + 1 + lThreadId.x]\n");
}

TEST(accesses, of_pointers_that_are_chosen) {
  EXPECT_EQ(
      accesses_of("float* one = y > 2 ? p : q; one[x] = 1; float* row = y > 2 ? s[0] : s[1]; row[x] = 2;"),
      "write p[lThreadId.x] if 2 < lThreadId.y\n"
      "write q[lThreadId.x] if !(2 < lThreadId.y)\n"
      "write s[2 < lThreadId.y ? 0 : 1][lThreadId.x]\n");
}

/// A write leaves the other members as they are.
TEST(accesses, of_members_are_accesses_of_their_element) {
  EXPECT_EQ(accesses_in("struct cell { float v[3]; float first() const { return v[0]; } void set(float x) { "
                        "v[0] = x; } };\n"
                        "__global__ cell cells[4];\n"
                        "__global__ void k() { int i = lThreadId.x; cells[i].v[2] += 1; cell* at = cells + "
                        "i; at->v[i] = 2; }\n"
                        "int main() { k<<[4]>>(); }"),
            "read cells[lThreadId.x]\nwrite cells[lThreadId.x] maybe\nwrite cells[lThreadId.x] maybe\n");
}

TEST(accesses, with_an_index_from_memory_are_unknown) {
  EXPECT_EQ(
      accesses_in("__global__ int row[5], column[99]; __global__ double v[99], x[4], y[4];\n"
                  "__global__ void spmv() { double sum = 0; int i = lThreadId.x;\n"
                  "for (int k = row[i]; k < row[i + 1]; ++k) sum += v[k] * x[column[k]]; y[i] = sum; }\n"
                  "int main() { spmv<<[4]>>(); }"),
      "read row[lThreadId.x]\nread row[lThreadId.x + 1]\nread v[k] in k\nread column[k] in k\nread x[?] in "
      "k\n"
      "write y[lThreadId.x]\n");
}

TEST(accesses, by_unsigned_numbers_are_followed_where_they_cannot_wrap_around) {
  EXPECT_EQ(
      accesses_of(
          "unsigned i = y; q[i + 1] = 1; if (i > 0) q[i - 1] = 2; q[i - 1] = 3; q[(i & 7u) + (i >> 1)] = 4;"),
      "write q[lThreadId.y + 1]\n"
      "write q[lThreadId.y - 1] if 0 < lThreadId.y\n"
      "write q[?]\n"
      "write q[lThreadId.y % 8 + lThreadId.y / 2]\n");
}

TEST(accesses, in_a_switch_may_happen) {
  EXPECT_EQ(
      accesses_of(
          "int i = 0; switch (y) { case 1: i = 2; d[i][x] = 1; break; default: d[i][x] = 2; } q[i] = 1;"),
      "write d[2][lThreadId.x] maybe\nwrite d[?][lThreadId.x] maybe\nwrite q[?]\n");
}

TEST(accesses, over_a_range_are_counted) {
  EXPECT_EQ(accesses_of("for (auto& e : gs[y]) e = 1;"), "write gs[lThreadId.y][e] in e\n");
}

TEST(accesses, of_a_thread_s_own_memory_are_none) {
  EXPECT_EQ(accesses_of("int n[10] = {}; int i = 3; int* to = &i; *to = 4; n[x] = i; q[n[x]] = 1; q[i] = 2;"),
            "write q[?]\nwrite q[?]\n");
}

TEST(accesses, of_three_dimensions) {
  EXPECT_EQ(
      accesses_in(
          "__global__ float a[4][5][6], b[4][5][6];\n"
          "__global__ void k(float (*s)[5][6], float (*d)[5][6]) { int y = lThreadId.y, x = lThreadId.x;\n"
          "for (int z = 0; z < 5; ++z) d[y][z][x] = s[y][z][x] + s[(y + 3) % 4][z][5 - x]; }\n"
          "int main() { k<<[6, 4]>>(a, b); }"),
      "read s[lThreadId.y][z][lThreadId.x] in z\n"
      "read s[(lThreadId.y + 3) % 4][z][5 - lThreadId.x] in z\n"
      "write d[lThreadId.y][z][lThreadId.x] in z\n");
}

}  // namespace
}  // namespace ballast::mesicc
