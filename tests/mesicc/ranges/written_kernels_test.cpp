// SPDX-License-Identifier: Apache-2.0
// From the text of a kernel to the ranges of its parts. The same kernels are there as models, written by hand
// without a look at what the front end makes of the text: both have to come to the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/analyse_launch.hpp"
#include "golden.hpp"
#include "kernels.hpp"
#include "range_check.hpp"
#include "source/launch_sites.hpp"

namespace ballast::mesicc {
namespace {

/// The launches of a file for arrays of so many rows and columns.
class written_launches {
 public:
  written_launches(std::string const& file, std::int64_t rows, std::int64_t columns)
      : parsed_(parse_program(
            std::string(KERNELS) + "/" + file + ".mcu",
            {.definitions = {"ROWS=" + std::to_string(rows), "COLUMNS=" + std::to_string(columns)}})) {
    EXPECT_EQ(listed(parsed_.diagnostics), "");
    if (!parsed_.has_errors()) found_ = launches_of(parsed_);
    EXPECT_EQ(listed(found_.diagnostics), "");
  }
  launch_model const* of(std::string const& kernel) const {
    auto const site =
        std::ranges::find(found_.sites, kernel, [](auto const& one) { return one.model.kernel; });
    return site == found_.sites.end() ? nullptr : &site->model;
  }
  std::size_t count() const { return found_.sites.size(); }

 private:
  program parsed_;
  launch_sites found_;
};

struct file_of_kernels {
  std::string name;
  std::vector<known_kernel> kernels;
};

void PrintTo(file_of_kernels const& file, std::ostream* to) { *to << file.name; }

std::vector<file_of_kernels> files() {
  return {{"plain", plain_kernels()},
          {"stencils", stencil_kernels()},
          {"irregular", irregular_kernels()},
          {"refused", refused_kernels()}};
}

/// Without places, which models have none of that mean anything.
std::string messages_of(std::vector<diagnostic> const& diagnostics) {
  std::string text;
  for (auto const& one : diagnostics) text += one.message + "\n";
  return text;
}

std::string name_of(testing::TestParamInfo<file_of_kernels> const& info) { return info.param.name; }

class kernels_of : public testing::TestWithParam<file_of_kernels> {};

TEST_P(kernels_of, are_explained_as_their_models_are) {
  written_launches const written(GetParam().name, 4096, 1024);
  EXPECT_EQ(written.count(), GetParam().kernels.size());
  for (auto const& known : GetParam().kernels) {
    auto const expected = known.at(4096, 1024);
    auto const* const model = written.of(expected.kernel);
    ASSERT_NE(model, nullptr) << known.name;
    auto const of_model = analyse(expected), of_text = analyse(*model);
    ASSERT_EQ(of_model.plan.has_value(), of_text.plan.has_value()) << known.name;
    EXPECT_EQ(messages_of(of_text.diagnostics), messages_of(of_model.diagnostics)) << known.name;
    if (of_model.plan) { EXPECT_EQ(of_text.plan->explanation, of_model.plan->explanation) << known.name; }
  }
}

/// The threads do what the model says; the ranges are those of the text.
std::string first_wrong(launch_model const& threads, launch_model const& text, std::int64_t scalar) {
  auto const found = analyse(text);
  if (!found.plan) return "";
  std::vector<std::int64_t> const scalars(threads.scalars.size(), scalar);
  return check_ranges(*found.plan, interpreted_launch(threads, found.plan->cut, scalars, 1)).wrong;
}

TEST_P(kernels_of, have_ranges_that_hold_all_that_threads_touch) {
  for (auto const& [rows, columns, scalar] : {std::tuple(13, 11, 7), std::tuple(7, 24, 5)}) {
    written_launches const written(GetParam().name, rows, columns);
    for (auto const& known : GetParam().kernels) {
      auto const threads = known.at(rows, columns);
      auto const* const text = written.of(threads.kernel);
      ASSERT_NE(text, nullptr) << known.name;
      EXPECT_EQ(text->scalars.size(), threads.scalars.size()) << known.name;
      EXPECT_EQ(first_wrong(threads, *text, scalar), "")
          << known.name << " of " << rows << " rows, " << columns << " columns";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(written, kernels_of, testing::ValuesIn(files()), name_of);

}  // namespace
}  // namespace ballast::mesicc
