// SPDX-License-Identifier: Apache-2.0
// Why a launch cannot be cut: the note that tells what of the kernel is not understood, with its place.
#include <gtest/gtest.h>

#include "analysis/analyse_launch.hpp"
#include "source/launch_sites.hpp"

namespace ballast::mesicc {
namespace {

/// What was said of the launch of a kernel whose body is line 8: a line each with place, and the first note.
std::string said_of(std::string const& body) {
  bool const has_standard = body.find("std::") != std::string::npos;  // whose headers take longest
  auto const parsed = parse_text(
      std::string(has_standard ? "#include <bit>\n#include <utility>\n" : "\n\n") +
          "struct pair { int first, second; };\n"
          "__device__ int found(const int* y) { for (int i = 0; i < 9; ++i) if (y[i]) return i; return 0; }\n"
          "constexpr int below(int i, int n) { return i < n ? i : throw i; }\n"
          "__global__ int a[100], b[100], grid[20][5]; __global__ pair pairs[20];\n"
          "__global__ void k(int* x, const int* y, pair* p, int n, float f, int (*g)[5], int (*h)[7]) {\n" +
          body +
          "\n}\nint main(int c, char**) { k<<[20]>>(a, b, pairs, c, 1.5f * c, grid, (int (*)[7])a); }\n",
      "test.mcu");
  auto found = launches_of(parsed);
  auto all = parsed.diagnostics;
  all.insert(all.end(), found.diagnostics.begin(), found.diagnostics.end());
  if (all.empty()) all = analyse(found.sites.front().model).diagnostics;
  if (all.empty()) return "";
  auto const place = [](struct place const& where) {
    return std::to_string(where.line) + ":" + std::to_string(where.column) + " ";
  };
  auto const& first = all.front();
  return place(first.where) + first.message + "\n" +
         (first.notes.empty() ? "" : place(first.notes.front().where) + first.notes.front().message);
}

struct reason {
  char const* body;
  char const* place_of_write;
  char const* note;
};

TEST(reasons, are_told_of_an_index_that_is_not_affine) {
  for (auto const& [body, place, note] : {
           reason{"x[lThreadId.x & n] = 1;", "8:1", "8:3 it is computed from bits"},
           {"x[n << lThreadId.x] = 1;", "8:1", "8:3 it is computed from bits"},
           {"x[lThreadId.x / n] = 1;", "8:1", "8:1 it is divided by something that is not constant"},
           {"x[n * lThreadId.x] = 1;", "8:1", "8:1 it is a product of two values that are not constant"},
           {"x[int(f)] = 1;", "8:1", "8:7 it is a floating-point number"},
           {"x[p != nullptr] = 1;", "8:1", "8:3 it depends on pointers"},
           {"x[y - x] = 1;", "8:1", "8:3 it depends on pointers"},
           {"x[std::popcount(unsigned(n))] = 1;", "8:1", "8:3 it is the result of a call"},
           {"x[found(y)] = 1;", "8:1", "8:3 it is the result of a call"},
           {"int i = 0; for (int j = 0; j < n; ++j) i = j; x[i] = 1;", "8:47", "8:12 it changes in a loop"},
           {"while (n < 5) { x[n] = 1; n = y[n]; }", "8:17", "8:1 it changes in a loop"},
           {"int i; for (i = 0; i < n; ++i) if (y[i]) break; x[i] = 1;", "8:49",
            "8:8 it is known in its loop only"},
           {"int i, s = 0; for (i = 0; i < 5; i += 2) for (int j = 0; j < 3; ++j) s += j; x[8 * lThreadId.x "
            "+ i] = s;",
            "8:78", "8:15 it is known in its loop only"},
           {"unsigned u = n; x[u + 1] = 1;", "8:17", "8:14 it may not fit its type"},
           {"short s = n; x[s] = 1;", "8:14", "8:11 it may not fit its type"},
           {"unsigned u = lThreadId.x; x[u - 1] = 1;", "8:27", "8:29 it may wrap around"},
           {"int i = 0; switch (n) { case 1: i = 3; } x[i] = 1;", "8:42", "8:12 it depends on a switch"},
           {"x[p[0].first] = 1;", "8:1", "8:3 it depends on a value that is read from memory"},
           {"int i; x[i] = 1;", "8:8", "8:8 it has no value yet"},
           {"x[(int){n}] = 1;", "8:1", "8:3 it is an expression that is not followed"},
       }) {
    EXPECT_EQ(said_of(body), std::string(place) +
                                 " cannot partition kernel 'k': the index of this write to 'x' is not an "
                                 "affine function of lThreadId, loop counters and arguments of the launch\n" +
                                 note)
        << body;
  }
}

TEST(reasons, are_told_of_a_condition_that_is_not_known) {
  for (auto const& [body, place, note] : {
           reason{"if (p) x[0] = 1;", "8:8", "8:5 nothing is known of a value here: it depends on a pointer"},
           {"for (int i = 0; i < 9; ++i) if (y[i]) return; x[0] = 1;", "8:47",
            "8:1 nothing is known of a value here: it depends on a loop that may have returned"},
           {"for (int i = 0; i < 3; ++i) { switch (n) { case 1: continue; } x[0] = 1; }", "8:64",
            "8:31 nothing is known of a value here: it depends on a switch that may have left what is around "
            "it"},
           {"if (y[0]) x[0] = 1;", "8:11",
            "8:5 nothing is known of a value here: it depends on a value that is read from memory"},
       }) {
    EXPECT_EQ(said_of(body), std::string(place) +
                                 " cannot partition kernel 'k' along lThreadId.x: different values of "
                                 "lThreadId.x write the same element of 'x' (assumption A2)\n" +
                                 note)
        << body;
  }
}

TEST(reasons, are_told_of_threads_that_leave_an_array) {
  auto const said = [](std::string const& body, std::string const& arguments) {
    auto const parsed =
        parse_text("__global__ int a[64], t[8][8];\n__global__ void k(int* x, int (*g)[8]) {\n" + body +
                       "\n}\nint main() { k<<[64]>>(" + arguments + "); }\n",
                   "test.mcu");
    auto const found = analyse(launches_of(parsed).sites.front().model, {.allow_unpartitioned = true});
    EXPECT_EQ(found.plan.has_value(), found.diagnostics.empty());
    return found.diagnostics.empty() ? "" : found.diagnostics.front().message;
  };
  EXPECT_EQ(said("x[lThreadId.x] = 1;", "a, t"), "");
  EXPECT_EQ(said("x[lThreadId.x] = 1;", "a + 1, t"),
            "some threads of this launch write beyond the ends of 'x' here");
  EXPECT_EQ(said("if (lThreadId.x < 63) x[lThreadId.x] = 1;", "a + 1, t"), "");
  EXPECT_EQ(said("x[lThreadId.x] = x[lThreadId.x - 1];", "a, t"),
            "some threads of this launch read beyond the ends of 'x' here");
  EXPECT_EQ(said("g[0][lThreadId.x] = 1;", "a, t"),
            "some threads of this launch write beyond the ends of 'g' here");
  EXPECT_EQ(said("int* p = g[0]; p[lThreadId.x] = 1;", "a, t"), "");
  EXPECT_EQ(said("for (int i = 0; i < 9; ++i) if (x[lThreadId.x] == 0) x[lThreadId.x] = g[0][i];", "a, t"),
            "");
}

TEST(reasons, are_told_of_an_address_that_is_lost) {
  for (auto const& [body, place, how] : {
           reason{"int* const& q = x + 1; q[0] = 1;", "8:17", "is bound to a reference"},
           {"reinterpret_cast<float&>(x[0]) = 1;", "8:1", "is cast to something else"},
           {"struct { int& r; } s{x[0]}; s.r = 1;", "8:22", "is used in an expression that is not followed"},
           {"int* q[2]; q[0] = x;", "8:12", "is stored where it cannot be followed"},
           {"std::swap(x[0], x[1]);", "8:11", "is handed to 'std::swap'"},
           {"struct s { int* m; __device__ s(int* m) : m(m) {} }; s one(x);", "8:60",
            "is handed to the constructor of 's'"},
       }) {
    EXPECT_EQ(said_of(body),
              std::string(place) + " the address of 'x' " + how + ", so that accesses by it cannot be seen\n")
        << body;
  }
}

}  // namespace
}  // namespace ballast::mesicc
