// SPDX-License-Identifier: Apache-2.0
// The command line of mesicc, without what it translates.
#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

void expect_refusal(working_folder const& folder, std::string const& arguments, std::string const& reason,
                    int code) {
  SCOPED_TRACE("mesicc " + arguments);
  auto const result = folder.run(arguments);
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("mesicc: "));
  EXPECT_THAT(result.err, HasSubstr(reason));
}

TEST(mesicc_command, tells_of_itself) {
  working_folder const folder;
  auto const help = folder.run("--help");
  EXPECT_EQ(help.code, 0);
  for (auto const* const word : {"--allow-unpartitioned", "--explain", "--output", "run", "Exit codes"})
    EXPECT_THAT(help.out, HasSubstr(word));
  EXPECT_THAT(folder.run("run --help").out, HasSubstr("What follows -- goes to the program"));
  EXPECT_THAT(folder.run("--version").out, StartsWith("mesicc 0."));
}

TEST(mesicc_command, refuses_wrong_usage_with_code_2) {
  working_folder const folder;
  folder.add("a.mcu", "int main() {}\n");
  expect_refusal(folder, "", "a file is missing", 2);
  expect_refusal(folder, "run", "a file is missing", 2);
  expect_refusal(folder, "--no-such-option", "--no-such-option", 2);
  expect_refusal(folder, "a.mcu --std c++20", "--std", 2);
  expect_refusal(folder, "a.mcu --explian -x", "not expected: --explian -x; did you mean --explain?", 2);
  expect_refusal(folder, "a.mcu -D '' -D A", "is not NAME", 2);
  expect_refusal(folder, "a.mcu -D 1=2", "is not NAME", 2);
  expect_refusal(folder, "a.mcu -D 'A-B=2'", "is not NAME", 2);
  expect_refusal(folder, "a.mcu -D 'A=1\n2'", "has to be one line", 2);
  expect_refusal(folder, "a.mcu -D 'A=1\\'", "has to be one line", 2);
  expect_refusal(folder, "a.mcu -I '' -D A", "needs a name", 2);
  expect_refusal(folder, "a.mcu -- 3", "mesicc run", 2);
  for (auto const* const before :
       {"-I . run a.mcu", "--explain run a.mcu", "a.mcu run a.mcu", "a.mcu run", "-o b run a.mcu"})
    expect_refusal(folder, before, "stands behind run", 2);
  expect_refusal(folder, "run a.mcu ./a.mcu", "each file once", 2);
  expect_refusal(folder, "-", "'-' is no file", 2);
  for (auto const* const nameless : {"''", "a.mcu ''", "run ''", "'' -o b.cu", "--explain ''"})
    expect_refusal(folder, nameless, "needs a name", 2);
  expect_refusal(folder, "a.mcu -o -", "'-' is no file", 2);
  expect_refusal(folder, "run a.mcu --keep ''", "needs a name", 2);
  expect_refusal(folder, "a.mcu -o a.mcu", "another file than the input", 2);
  folder.add("b/a.mcu", "int main() {}\n");
  expect_refusal(folder, "a.mcu b/a.mcu -o b", "a file for each input", 2);
  folder.add("a.cpp", "int main() {}\n");
  expect_refusal(folder, "a.mcu ./a.cpp", "a file for each input", 2);
}

TEST(mesicc_command, says_which_file_cannot_be_written) {
  working_folder const folder;
  folder.add("a.mcu", "int main() {}\n");
  expect_refusal(folder, "a.mcu -o no/such/folder.cu",
                 "cannot write no/such/folder.cu: No such file or directory", 1);
  expect_refusal(folder, "a.mcu -o .", "cannot write .: Is a directory", 1);
}

TEST(mesicc_command, leaves_the_old_result_whole_where_the_disk_has_no_room_for_the_new_one) {
  working_folder const folder;
  folder.add("a.mcu", "int main() {}  // " + std::string(100'000, '-') + "\n");
  folder.add("a.cu", "old\n");
  auto const result = folder.run("a.mcu", "trap '' XFSZ && ulimit -f 16 &&");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write a.cu: File too large"));
  EXPECT_EQ(folder.text_of("a.cu"), "old\n");
}

TEST(mesicc_command, says_which_file_cannot_be_read) {
  working_folder const folder;
  auto const missing = folder.run("missing.mcu");
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("missing.mcu"));
  std::filesystem::create_directory(folder.path() / "folder.mcu");
  auto const no_file = folder.run("folder.mcu");
  EXPECT_EQ(no_file.code, 1);
  EXPECT_THAT(no_file.err, HasSubstr("folder.mcu"));
}

TEST(mesicc_command, takes_any_name_of_a_file_and_a_mark_of_byte_order) {
  working_folder const folder;
  folder.add("-3.mcu", "\xef\xbb\xbf__global__ int a[3];\nint main() { a[0] = 1; }\n");
  EXPECT_EQ(folder.run("-o out.cu -- -3.mcu").code, 2);  // what follows -- is for the program
  EXPECT_EQ(folder.run("./-3.mcu -o out.cu").code, 0);
  EXPECT_THAT(folder.text_of("out.cu"), Not(HasSubstr("\xef\xbb\xbf")));
  folder.add("b.cu", "int main() {}\n");
  EXPECT_EQ(folder.run("--explain b.cu").code, 0);
}

TEST(mesicc_command, writes_beside_the_input_or_into_a_folder) {
  working_folder const folder;
  folder.add("a.mcu", "int main() {}\n");
  folder.add("b.mcu", "int f() { return 1; }\n");
  EXPECT_EQ(folder.run("a.mcu").code, 0);
  EXPECT_THAT(folder.text_of("a.cu"), HasSubstr("int main() {}"));
  std::filesystem::create_directory(folder.path() / "out");
  EXPECT_EQ(folder.run("a.mcu b.mcu -o out").code, 0);
  EXPECT_THAT(folder.text_of("out/b.cu"), HasSubstr("int f()"));
}

TEST(mesicc_command, writes_over_no_input) {
  working_folder const folder;
  folder.add("a.mcu", "int main() {}\n");
  std::filesystem::create_symlink("a.mcu", folder.path() / "soft.cu");
  std::filesystem::create_hard_link(folder.path() / "a.mcu", folder.path() / "hard.cu");
  for (auto const* const same : {"./a.mcu", "soft.cu", "hard.cu"})
    expect_refusal(folder, "a.mcu -o " + std::string(same), "another file than the input a.mcu", 2);
  folder.add("b.mcu", "int f();\n");
  std::filesystem::create_symlink("b.mcu", folder.path() / "a.cu");
  expect_refusal(folder, "a.mcu b.mcu -o .", "another file than the input", 2);
  std::filesystem::create_directory(folder.path() / "linked");
  std::filesystem::create_symlink("b.cu", folder.path() / "linked/a.cu");
  folder.add("linked/b.cu", "old\n");
  expect_refusal(folder, "a.mcu b.mcu -o linked", "a file for each input", 2);
  expect_refusal(folder, "run a.mcu b.mcu --keep linked", "is a link to what is written too", 2);
  EXPECT_EQ(folder.text_of("linked/b.cu"), "old\n");
  folder.add("c.cu", "int main() {}\n");
  folder.add("d", "int main() {}\n");
  expect_refusal(folder, "run c.cu --keep .", "./c.cu there would be written over the input c.cu", 2);
  expect_refusal(folder, "run d --keep .", "/d there would be written over the input d", 2);
  expect_refusal(folder, "run a.mcu b.mcu --keep .", "./a.cu there would be written over the input b.mcu", 2);
  EXPECT_EQ(folder.text_of("c.cu") + folder.text_of("d") + folder.text_of("a.mcu"),
            "int main() {}\nint main() {}\nint main() {}\n");
}

TEST(mesicc_command, writes_over_no_header_that_it_reads) {
  working_folder const folder;
  folder.add("a.mcu", "#include \"h.h\"\nint main() {}\n");
  folder.add("h.h", "#define N 3\n");
  std::filesystem::create_symlink("h.h", folder.path() / "a.cu");
  for (auto const* const output : {"h.h", "a.cu"})
    expect_refusal(folder, "a.mcu -o " + std::string(output),
                   "cannot write " + std::string(output) + ": the program reads this file", 1);
  EXPECT_EQ(folder.text_of("h.h"), "#define N 3\n");
}

TEST(mesicc_command, knows_folders_of_headers_macros_and_the_language) {
  working_folder const folder;
  folder.add("a.mcu",
             "#include \"h.h\"\nstatic_assert(FROM_HEADER + SIZE == F(6) && __cplusplus == 202002L);\nint "
             "main() {}\n");
  folder.add("headers/h.h", "#define FROM_HEADER 3\n");
  EXPECT_EQ(folder.run("a.mcu -I headers  -D SIZE=4 -D 'F(x)=x + 1'").code, 0);
  EXPECT_EQ(folder.run("a.mcu -I headers  -D SIZE=5 -D 'F(x)=x + 1'").code, 1);
}

TEST(mesicc_command, puts_macros_into_the_result_behind_the_headers_of_ballast) {
  working_folder const folder;
  folder.add("a.mcu", "__global__ int a[N];\nint main() { return a[THERE]; }\n");
  EXPECT_EQ(folder.run("a.mcu -D N=64 -D THERE -D 'F(x, y)=x=y'").code, 0);
  EXPECT_THAT(folder.text_of("a.cu"),
              StartsWith("#include <ballast/mesi/mesi.cuh>\n#define N 64\n"
                         "#define THERE 1\n#define F(x, y) x=y\n#line 1 \"a.mcu\"\n"));
}

TEST(mesicc_command, sees_functions_whose_names_are_macros) {
  working_folder const folder;
  folder.add("a.mcu",
             "__global__ int a[64];\n__global__ void set(int* to) { to[lThreadId.x] = 1; }\n"
             "int main() { set<<[64]>>(a); }\n");
  EXPECT_EQ(folder.run("a.mcu -D main=other").code, 0);
  EXPECT_THAT(folder.text_of("a.cu"), HasSubstr("ballast::mesi::launch<set_3>("));
}

TEST(mesicc_command, passes_plain_cpp_through_unchanged) {
  std::string const source = "// no device here\n#include <vector>\nint main() { return 1 << 2 >> 3; }\n";
  EXPECT_EQ(translated(source), source);
}

}  // namespace
}  // namespace ballast::mesicc
