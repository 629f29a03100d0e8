// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include <utility>

namespace ballast::mesicc {
namespace {

constexpr char head[] = R"(#include <cstdio>
constexpr int width = 16, threads_of_launch = 7;
__global__ int a[threads_of_launch * width];
__device__ inline int clamped(int v) { return v < 0 ? 0 : v > 15 ? 15 : v; }
void fill() { for (int i = 0; i < threads_of_launch * width; ++i) a[i] = i % 7 + 1; }
void show(int kernel) {
  long sum = 0;
  for (int i = 0; i < threads_of_launch * width; ++i) sum = sum * 31 % 1000003 + a[i];
  std::printf("k%d %ld\n", kernel, sum);
}
)";

/// `with` in place of each '#'.
std::string filled(std::string pattern, std::string const& with) {
  for (auto at = pattern.find('#'); at != std::string::npos; at = pattern.find('#', at + with.size()))
    pattern.replace(at, 1, with);
  return pattern;
}

}  // namespace

random_program::random_program(std::uint32_t seed, int kernels) : random_(seed), text_(head) {
  std::string launches;
  for (int k = 0; k < kernels; ++k) {
    text_ += kernel(k);
    auto const called = std::to_string(k);
    launches += "  fill();\n  k" + called + "<<[threads_of_launch]>>(a);\n  show(" + called + ");\n";
  }
  text_ += "int main() {\n" + launches + "}\n";
}

std::string random_program::kernel(int place) {
  auto text = "__global__ void k" + std::to_string(place) + "(int* x) {\n  int i = " + number(0, 5) +
              ", j = " + number(0, 5) + ", s = 1;\n  unsigned u = " + number(0, 5) + ";\n";
  for (auto statements = 2 + below(4); statements > 0; --statements) text += "  " + statement(0) + "\n";
  return text + "  " + last_write() + "\n}\n";
}

std::string random_program::statement(int depth) {
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return assignment();
    case 4:
    case 5:
      return depth < 2 ? branch(depth) : assignment();
    case 6:
    case 7:
    case 8:
    case 9:
      return depth < 3 ? loop(depth) : assignment();
    default:
      return access();
  }
}

std::string random_program::expression() {
  if (with_chance(30)) return number(0, 6);
  return filled(one_of({"#", "#", "# + 2", "# - 1", "(# > 2 ? # : 3)", "# / 2", "# % 3", "2 * #", "(# & 3)",
                        "(# >> 1)", "(# % 4 + 4) % 4", "-#", "int(u)"}),
                counter());
}

std::string random_program::assignment() {
  if (with_chance(15)) return one_of({"u += 1;", "u = 3;", "++u;"});
  if (with_chance(50)) return counter() + " = " + expression() + ";";
  return filled(one_of({"++#;", "--#;", "# += 2;", "# -= 1;", "s += #;"}), counter());
}

std::string random_program::branch(int depth) {
  if (with_chance(20))
    return "switch (" + counter() + ") { case 1: ++i; break; case 2: j = 3; default: u = 2; }";
  return "if (" + counter() + one_of({" < ", " > ", " == ", " != ", " <= "}) + number(0, 5) + ") { " +
         statement(depth + 1) + " } else { " + statement(depth + 1) + " }";
}

/// The guard ends what would go on for ever, or makes numbers overflow.
std::string random_program::loop(int depth) {
  auto const counted = counter(), step = number(1, 3);
  auto const guard = "g" + std::to_string(guards_++);
  auto const body = "{ if (++" + guard + " > 9) break; " + loop_body(counted, depth) + " }";
  auto const pure = "{ " +
                    one_of({"s += #;", "u += 1;", "for (int q = 0; q < 3; ++q) s += q;",
                            "for (int q = 4; q > 1; q -= 2) ++s;", "if (# == 3) break;",
                            "if (# == 2) continue;", "if (s > 3) s -= 2;"}) +
                    " }";
  auto const is_pure = with_chance(60);
  auto const form =
      one_of({"for (# = " + number(0, 2) + "; # < " + number(2, 7) + "; # += " + step + ") ",
              "for (# = " + number(3, 7) + "; # >= " + number(0, 2) + "; # -= " + step + ") ",
              "for (# = 0; # <= " + number(1, 5) + "; ++#) ", "for (; # < " + number(2, 7) + "; #++) ",
              "for (# = 0; # != " + number(0, 6) + "; ++#) ",
              "for (# = 0; # < 6 && # != " + number(0, 7) + "; ++#) "});
  if (is_pure) return filled(form + pure, counted);
  return "{ int " + guard + " = 0; " + filled(form, counted) + body + " }";
}

std::string random_program::loop_body(std::string const& counted, int depth) {
  auto const other = counted == "i" ? "j" : "i";
  if (with_chance(40)) return filled("# += 1;", other);
  return statement(depth + 1);
}

std::string random_program::access() {
  if (with_chance(30))
    return "{ int* p = x + width * lThreadId.x; p += clamped(" + counter() + "); *p += s; }";
  auto const place = "x[width * lThreadId.x + clamped(" + expression() + ")]";
  return with_chance(50) ? place + " = s;" : "s = (s + " + place + ") % 1000;";
}

std::string random_program::last_write() {
  return filled(
      one_of({"x[width * lThreadId.x + clamped(#)] = s;",
              "if (# >= 0 && # < width) x[width * lThreadId.x + #] = s;",
              "if (# < width && # > -1) for (int t = #; t < width; ++t) x[width * lThreadId.x + t] = s;",
              "x[width * lThreadId.x + (u < 15u ? u : 15u)] = s;",
              "if (# >= 0) if (# < 8) x[width * lThreadId.x + 2 * #] = s;"}),
      counter());
}

}  // namespace ballast::mesicc
