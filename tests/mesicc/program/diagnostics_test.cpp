// SPDX-License-Identifier: Apache-2.0
// What the user sees of a program that is wrong. Each message by itself is tested beside the part that says
// it.
#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

outcome complaint_about(std::string const& source, std::string const& options = "") {
  working_folder const folder;
  folder.add("p.mcu", source);
  auto const result = folder.run("p.mcu -o p.cu " + options);
  EXPECT_EQ(std::filesystem::exists(folder.path() / "p.cu"), result.code == 0);
  return result;
}

std::string const scatter =
    "__global__ int to[100], index[100];\n"
    "__global__ void scatter(int* x, const int* ix) { x[ix[lThreadId.x]] = 1; }\n"
    "int main() {\n"
    "  scatter<<[100]>>(to, index);\n"
    "}\n";

TEST(mesicc_diagnostics, have_place_line_mark_and_notes) {
  auto const result = complaint_about(scatter);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(
      result.err,
      StartsWith(
          "p.mcu:2:50: error: cannot partition kernel 'scatter': the index of this write to 'x' is not an "
          "affine function of lThreadId, loop counters and arguments of the launch\n"
          "    2 | __global__ void scatter(int* x, const int* ix) { x[ix[lThreadId.x]] = 1; }\n"
          "      |                                                  ^"));
  EXPECT_THAT(result.err, HasSubstr("p.mcu:2:52: note: it depends on a value that is read from memory\n"));
  EXPECT_THAT(
      result.err,
      HasSubstr("p.mcu:4:3: note: with --allow-unpartitioned this launch runs as one task, on one device\n"
                "    4 |   scatter<<[100]>>(to, index);\n"));
}

TEST(mesicc_diagnostics, are_warnings_where_launches_may_run_on_one_device) {
  auto const result = complaint_about(scatter, "--allow-unpartitioned");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, StartsWith("p.mcu:2:50: warning: cannot partition kernel 'scatter'"));
}

TEST(mesicc_diagnostics, show_launches_as_they_were_written_where_clang_complains) {
  auto const result =
      complaint_about("__global__ float a[4];\n__global__ void k(int* x) {}\nint main() { k<<[4]>>(a); }\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, StartsWith("p.mcu:3:23: error: "));
  EXPECT_THAT(result.err, HasSubstr("    3 | int main() { k<<[4]>>(a); }\n"));
}

TEST(mesicc_diagnostics, name_the_header_that_is_wrong) {
  working_folder const folder;
  folder.add("h.h", "\n__global__ int a = 3;\n");
  folder.add("p.mcu", "#include \"h.h\"\nint main() {}\n");
  EXPECT_THAT(folder.run("p.mcu").err,
              HasSubstr("h.h:2:20: error: the __global__ variable 'a' cannot have an initialiser"));
}

TEST(mesicc_diagnostics, warn_of_each_address_that_escapes) {
  std::string const start =
      "#include <span>\n__global__ float a[8];\nstruct box { float* p; };\nfloat* kept;\nfloat* f(box& b) "
      "{\n";
  auto const warned = [&](std::string const& line, int column, std::string const& why) {
    auto const result = complaint_about(start + line + "\nreturn nullptr;\n}\n");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err,
                StartsWith("p.mcu:6:" + std::to_string(column) + ": warning: the address of 'a' " + why))
        << line;
  };
  warned("return a;", 8, "is returned");
  warned("kept = a;", 8, "is stored in a variable that is not local");
  warned("b.p = a;", 7, "is stored in a variable that is not local");
  warned("box c{a};", 7, "is stored in an object");
  warned("std::span<float> s(a);", 20, "may be held by an object");
  warned("auto n = reinterpret_cast<unsigned long>(&a);", 43, "is turned into a number");
  warned("static float* s = a;", 19, "is stored in a variable that is not local");
}

TEST(mesicc_diagnostics, say_where_macros_are_in_the_way) {
  auto const result = complaint_about(
      "__global__ int ab[3];\n#define JOIN(x, y) x##y\nint main() { return JOIN(a, b)[0]; }\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              StartsWith("p.mcu:3:21: error: mesicc cannot rewrite this, because macros make it"));
}

TEST(mesicc_malformed_files, are_translated_or_refused_with_a_reason) {
  for (std::string const text : {"",
                                 "\n",
                                 "// no end of line",
                                 "/* no end",
                                 "\"no end",
                                 "R\"(no end",
                                 "#include",
                                 "#include \"",
                                 "<<[",
                                 "]>>(",
                                 "k<<[1]>>();",
                                 "__global__",
                                 "__global__ int",
                                 "__global__ int a[",
                                 "int main() {",
                                 "}",
                                 "\xef\xbb\xbfint main() {}",
                                 "\x80\xff\xfe",
                                 "#line 5 \"x\"\nint",
                                 "#define __global__\n__global__ int a;",
                                 "int a = 1 <<[]{ return 1; }();"}) {
    auto const result = complaint_about(text);
    EXPECT_TRUE(result.code == 0 || result.code == 1) << text << ": " << result.code;
    if (result.code == 1) { EXPECT_THAT(result.err, HasSubstr("error: ")) << text; }
  }
}

TEST(mesicc_malformed_files, may_hold_nothing_and_anything) {
  auto const zeros = std::string(1000, '\0');
  EXPECT_LE(complaint_about(zeros).code, 1);
  EXPECT_LE(complaint_about("int main() {" + zeros + "}").code, 1);
  EXPECT_LE(complaint_about(std::string(100000, '(')).code, 1);
  EXPECT_LE(complaint_about(std::string(100000, '[')).code, 1);
}

}  // namespace
}  // namespace ballast::mesicc
