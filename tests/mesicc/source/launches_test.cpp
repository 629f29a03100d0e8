// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "described_source.hpp"

namespace ballast::mesicc {
namespace {

TEST(launches, of_fig_3_of_the_paper_are_modelled) {
  EXPECT_EQ(launches_in(R"(#define N 4096
__global__ int ga[N][N], gb[N][N], gc[N][N];
__global__ void matmul(int a[][N], int b[][N], int c[][N]){
  int k;
  int row = lThreadId.y;
  int col = lThreadId.x;
  c[row][col] = 0;
  for(k = 0 ; k < N ; k++){
    c[row][col] += a[row][k] * b[k][col];
  }
}
void init_array(int d[N][N]);
void output_array(int d[N][N]);
int main(int argc, char *argv[]){
  init_array(ga);
  init_array(gb);
  matmul<<[N, N]>>(ga, gb, gc);
  output_array(gc);
})"),
            R"(17:3+28 matmul<<[4096, 4096]>>
array a: int[4096][4096] at ga + 0
array b: int[4096][4096] at gb + 0
array c: int[4096][4096] at gc + 0
loop k from 0 to 4096 by 1
write c[lThreadId.y][lThreadId.x]
read a[lThreadId.y][k] in k
read b[k][lThreadId.x] in k
read c[lThreadId.y][lThreadId.x] in k
write c[lThreadId.y][lThreadId.x] in k
)");
}

TEST(launches, bind_constants_and_name_what_is_known_at_run_time_only) {
  EXPECT_EQ(launches_in(R"(constexpr int C = 8;
__global__ float a[4][C];
__global__ void fill(float* to, int n, int m, float v) { to[lThreadId.x * n + m] = v; }
int main(int argc, char**) {
  fill<<[rand()]>>(a[1], 3, argc, 2.5f);
  fill<<[argc + 1]>>(&a[0][2] + 1, argc, 1, 2.5f);
})"),
            R"(5:3+37 fill<<[threads_x]>>
array to: float[24] at a + 8
scalar m of argument 2
scalar threads_x of argument -1
write to[lThreadId.x * 3 + m]
6:3+47 fill<<[n + 1]>>
array to: float[29] at a + 3
scalar n of argument 1
write to[lThreadId.x * n + 1]
)");
}

TEST(launches, find_what_a_local_pointer_may_be_at_run_time_only) {
  EXPECT_EQ(launches_in(R"(__global__ float a[4][8], b[4][8];
__global__ void copy(float (*from)[8], float (*to)[8]) { to[lThreadId.y][lThreadId.x] = from[lThreadId.y][lThreadId.x]; }
void step(float (*from)[8], float (*to)[8]) { copy<<[8, 4]>>(from, to); }
int main() { step(a, b); })"),
            R"(3:47+24 copy<<[8, 4]>>
array from: float[?][8] at ? + ?
array to: float[?][8] at ? + ?
read from[lThreadId.y][lThreadId.x]
write to[lThreadId.y][lThreadId.x]
)");
}

TEST(launches, know_what_local_variables_are_that_do_not_change) {
  EXPECT_EQ(launches_in(R"(__global__ float a[13 * 11];
__global__ void fill(float* to, int columns) { to[lThreadId.y * columns + lThreadId.x] = 1; }
int main() { int rows = 13, columns = rows - 2; float* one = a; float* other = one + 0;
  fill<<[columns, rows]>>(one, columns); fill<<[3]>>(other, rows); })"),
            R"(4:3+37 fill<<[11, 13]>>
array to: float[143] at a + 0
write to[lThreadId.y * 11 + lThreadId.x]
4:42+24 fill<<[3]>>
array to: float[143] at a + 0
write to[lThreadId.x]
)");
}

TEST(launches, know_the_shape_of_pointers_that_are_swapped) {
  EXPECT_EQ(launches_in(R"(#include <utility>
__global__ float a[4][8], b[4][8], c[5][8];
__global__ void fill(float (*to)[8]) { to[lThreadId.y][lThreadId.x] = 1; }
int main() { float (*one)[8] = a, (*other)[8] = b, (*third)[8] = a, (*walks)[8] = a;
  fill<<[8, 4]>>(one); std::swap(one, other);
  third = c; fill<<[8, 4]>>(third);
  ++walks; fill<<[8, 3]>>(walks); })"),
            R"(5:3+19 fill<<[8, 4]>>
array to: float[4][8] at ? + 0
write to[lThreadId.y][lThreadId.x]
6:14+21 fill<<[8, 4]>>
array to: float[?][8] at ? + ?
write to[lThreadId.y][lThreadId.x]
7:12+21 fill<<[8, 3]>>
array to: float[?][8] at ? + ?
write to[lThreadId.y][lThreadId.x]
)");
}

TEST(launches, add_the_variables_that_a_kernel_names_itself) {
  EXPECT_EQ(launches_in(R"(__global__ float a[4], total;
__global__ void scale(float* x) { x[lThreadId.x] = a[lThreadId.x] * total; }
int main() { scale<<[4]>>(a); })"),
            R"(3:14+15 scale<<[4]>>
array x: float[4] at a + 0
array a: float[4] at a + 0
array total: float[1] at total + 0
read a[lThreadId.x]
read total[0]
write x[lThreadId.x]
)");
}

TEST(launches, stand_in_headers_comments_and_strings_as_they_are_written) {
  EXPECT_EQ(launches_in(R"code(__global__ int a[4];
// k<<[1]>>(a);
char const* s = "k<<[1]>>(a)"; char const* r = R"(k<<[1]>>(a))";
__global__ void k(int* x) { x[lThreadId.x] = 1 <<[] { return 2; }(); }
int main() { k<<[4]>>(a); }
)code"),
            "5:14+11 k<<[4]>>\narray x: int[4] at a + 0\n"
            "write x[lThreadId.x]\n");
}

TEST(launches, are_none_in_an_empty_file) { EXPECT_EQ(launches_in(""), ""); }

TEST(launches, may_stand_among_headers_of_the_standard_library) {
  EXPECT_EQ(launches_in(R"(#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>
__global__ std::complex<float> a[4];
__global__ void k() { a[lThreadId.x] *= std::sqrt(2.f); }
int main() { k<<[4]>>(); })"),
            R"(12:14+10 k<<[4]>>
array a: std::complex<float>[4] at a + 0
read a[lThreadId.x]
write a[lThreadId.x] maybe
)");
}

}  // namespace
}  // namespace ballast::mesicc
