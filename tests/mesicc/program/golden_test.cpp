// SPDX-License-Identifier: Apache-2.0
// The paper's programs become what tests/mesicc/golden holds: structs, block shapes and all.
#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

class golden_program : public testing::TestWithParam<char const*> {};

TEST_P(golden_program, is_translated_as_ever) {
  std::string const name = GetParam();
  working_folder const folder;
  fs::copy(fs::path(EXAMPLES) / (name + ".mcu"), folder.path());
  auto const result = folder.run(name + ".mcu -o result.cu");
  ASSERT_EQ(result.code, 0) << result.err;
  auto const expected = contents(fs::path(GOLDEN) / (name + ".cu"));
  if (std::getenv("BALLAST_UPDATE_GOLDEN") != nullptr)
    fs::copy_file(folder.path() / "result.cu", fs::path(GOLDEN) / (name + ".cu"),
                  fs::copy_options::overwrite_existing);
  EXPECT_EQ(folder.text_of("result.cu"), expected)
      << "if this is better, run with BALLAST_UPDATE_GOLDEN=1 and look at the difference";
}

INSTANTIATE_TEST_SUITE_P(mesicc, golden_program, testing::Values("matmul", "ep", "hotspot"));

TEST(mesicc_explain, tells_of_each_launch_and_writes_no_file) {
  working_folder const folder;
  fs::copy(fs::path(EXAMPLES) / "matmul.mcu", folder.path());
  auto const result = folder.run("--explain -D N=4096 matmul.mcu");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  // Fig. 13 of the paper: its rows of a and c, all of b, and c is not copied in.
  EXPECT_EQ(result.out,
            "matmul<<[4096, 4096]>>: tasks of threads b <= lThreadId.y < e, in blocks of 256 x 1 threads\n"
            "  a = ga: reads [4096 * b, 4096 * e); copies in 16384 bytes a row\n"
            "  b = gb: reads all\n"
            "  c = gc: writes [4096 * b, 4096 * e), each element; makes 16384 bytes a row\n");
  EXPECT_FALSE(fs::exists(folder.path() / "matmul.cu"));
}

}  // namespace
}  // namespace ballast::mesicc
