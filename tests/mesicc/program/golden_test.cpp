// SPDX-License-Identifier: Apache-2.0
// Programs become what tests/mesicc/golden holds: structs, block shapes and all.
#include <vector>

#include "mesicc_run.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

/// A program's folder and name.
struct known_source {
  std::string folder, name;
};

void PrintTo(known_source const& source, std::ostream* to) { *to << source.name; }

class golden_program : public testing::TestWithParam<known_source> {};

TEST_P(golden_program, is_translated_as_ever) {
  auto const& [source, name] = GetParam();
  working_folder const folder;
  folder.add_sources(fs::path(source) / (name + ".mcu"));
  auto const result = folder.run(name + ".mcu -o result.cu");
  ASSERT_EQ(result.code, 0) << result.err;
  auto const expected = contents(fs::path(GOLDEN) / (name + ".cu"));
  if (std::getenv("BALLAST_UPDATE_GOLDEN") != nullptr)
    fs::copy_file(folder.path() / "result.cu", fs::path(GOLDEN) / (name + ".cu"),
                  fs::copy_options::overwrite_existing);
  EXPECT_EQ(folder.text_of("result.cu"), expected)
      << "if this is better, run with BALLAST_UPDATE_GOLDEN=1 and look at the difference";
}

std::vector<known_source> known_sources() {
  std::vector<known_source> all;
  for (auto const* const name : {"matmul", "ep", "hotspot"}) all.push_back({EXAMPLES, name});
  for (auto const* const name : {"steps", "pointers", "corners", "addresses", "names", "taken_names"})
    all.push_back({TESTS "/programs", name});
  for (auto const* const name : {"plain", "stencils", "irregular"})
    all.push_back({TESTS "/known_kernels", name});
  return all;
}

INSTANTIATE_TEST_SUITE_P(mesicc, golden_program, testing::ValuesIn(known_sources()),
                         [](auto const& of) { return of.param.name; });

/// Cut off at the end of the array, it would not be told at run time.
TEST(mesicc_ranges, are_as_long_as_what_a_launch_may_turn_out_to_write) {
  auto const text = translated(
      "__global__ int a[64];\n__global__ void k(int* x, int n) { if (lThreadId.x < n) x[lThreadId.x] = 5; }\n"
      "int main(int n, char**) { k<<[100]>>(a, n); }\n");
  EXPECT_THAT(text, testing::HasSubstr("{{part.begin, std::min<std::int64_t>(n, part.end)}}"));
}

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
