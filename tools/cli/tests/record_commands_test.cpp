// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "invented_record.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A test's own folder of records, removed with this object.
class records_folder {
 public:
  records_folder() { fs::create_directories(folder_); }
  ~records_folder() { fs::remove_all(folder_); }

  /// The path in quotes, as an argument; writes nothing.
  std::string path(std::string const& name) const { return "'" + (folder_ / name).string() + "'"; }
  std::string write(std::string const& name, json const& record) const {
    std::ofstream(folder_ / name) << record.dump();
    return path(name);
  }
  std::string link(std::string const& to, std::string const& name) const {
    fs::create_symlink(to, folder_ / name);
    return path(name);
  }
  std::string hard_link(std::string const& to, std::string const& name) const {
    fs::create_hard_link(folder_ / to, folder_ / name);
    return path(name);
  }
  std::string content(std::string const& name) const { return contents(folder_ / name); }
  bool holds(std::string const& name) const { return fs::exists(folder_ / name); }

 private:
  fs::path const folder_ =
      tested_folder() /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".records");
};

json series(std::string const& name, std::vector<double> const& samples) {
  return {{"name", name}, {"unit", "s"}, {"samples", samples}};
}

json point(std::string const& curve, double x, std::vector<double> const& samples) {
  auto one = series(curve + "@" + std::to_string(x), samples);
  one["curve"] = curve;
  one["x"] = x;
  return one;
}

json record_of(std::vector<json> const& series) {
  auto record = invented_record("queue/round-trip");
  record["series"] = series;
  return record;
}

std::vector<json> curves() {
  return {point("warm", 1, {1, 2, 3}), point("warm", 8, {4, 5, 6}), point("it's cold", 1, {9})};
}

bool gnuplot_is_there() { return std::system("command -v gnuplot >/dev/null") == 0; }

TEST(cli_plot, draws_each_record_beside_its_file) {
  if (!gnuplot_is_there()) GTEST_SKIP() << "this system has no gnuplot";
  records_folder const folder;
  auto const result = run("plot " + folder.write("a.json", record_of(curves())) + " " +
                          folder.write("b.json", record_of({series("launch of 100%", {1e-6, 2e-6})})));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("a.svg\n"), HasSubstr("b.svg\n")));
  EXPECT_THAT(
      folder.content("a.svg"),
      AllOf(HasSubstr("<svg"), HasSubstr("queue/round-trip: Time &amp; place"), HasSubstr("two-cores"),
            HasSubstr(">warm<"), HasSubstr(">it's cold<"), HasSubstr("</svg>")));
  EXPECT_THAT(folder.content("b.svg"), AllOf(HasSubstr(">launch of 100%<"), HasSubstr("1.500 µs")));
}

TEST(cli_plot, draws_several_records_over_each_other_in_the_file_that_is_named) {
  if (!gnuplot_is_there()) GTEST_SKIP() << "this system has no gnuplot";
  records_folder const folder;
  auto other = record_of(curves());
  other["machine"]["name"] = "four-cores";
  auto const result = run("plot " + folder.write("a.json", record_of(curves())) + " " +
                          folder.write("b.json", other) + " --out " + folder.path("both.svg"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(folder.content("both.svg"),
              AllOf(HasSubstr(">two-cores: warm<"), HasSubstr(">four-cores: warm<")));
  EXPECT_FALSE(folder.holds("a.svg"));
}

TEST(cli_plot, draws_the_series_that_fit_one_of_the_patterns) {
  if (!gnuplot_is_there()) GTEST_SKIP() << "this system has no gnuplot";
  records_folder const folder;
  auto const result = run("plot --series 'w*m' " + folder.write("a.json", record_of(curves())));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(folder.content("a.svg"), AllOf(HasSubstr(">warm<"), Not(HasSubstr(">it's cold<"))));
}

TEST(cli_plot, labels_chosen_series_of_another_unit_than_the_label_may_be_of_by_that_unit) {
  if (!gnuplot_is_there()) GTEST_SKIP() << "this system has no gnuplot";
  records_folder const folder;
  auto rates = point("rate", 1, {2, 3});
  rates["unit"] = "tasks/s";
  auto record = record_of({point("time", 1, {1e-6}), rates});
  record["axes"]["y_label"] = "time of a step";
  auto const file = folder.write("a.json", record);
  ASSERT_EQ(run("plot --series rate " + file).code, 0);
  EXPECT_THAT(folder.content("a.svg"), AllOf(HasSubstr(">tasks/s<"), Not(HasSubstr("time of a step"))));
}

TEST(cli_plot, refuses_a_pattern_that_fits_no_series) {
  records_folder const folder;
  expect_refusal("plot --series 'warm' --series 'hot*' " + folder.write("a.json", record_of(curves())) +
                     " --out " + folder.path("a.svg"),
                 "--series is hot*");
  EXPECT_FALSE(folder.holds("a.svg"));
}

TEST(cli_plot, says_what_to_install_if_there_is_no_gnuplot) {
  records_folder const folder;
  auto const result = run("plot " + folder.write("a.json", record_of(curves())), "env PATH=/nowhere");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("gnuplot-nox"));
  EXPECT_FALSE(folder.holds("a.svg"));
}

TEST(cli_plot, draws_what_it_can_and_reports_each_file_that_it_cannot_draw) {
  if (!gnuplot_is_there()) GTEST_SKIP() << "this system has no gnuplot";
  records_folder const folder;
  auto const result = run("plot " + folder.write("b.json", {{"schema", 1}}) + " " +
                          folder.write("a.json", record_of(curves())) + " " + folder.path("none.json") + " " +
                          folder.write("c.json", record_of({})));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, testing::EndsWith("a.svg\n"));
  EXPECT_TRUE(folder.holds("a.svg"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("b.json: schema: a string is needed, the number 1 is there\n"),
                                HasSubstr("none.json"), HasSubstr("c.json: records is without series"),
                                testing::EndsWith("ballast: 3 of 4 files were not drawn\n")));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 4) << result.err;
}

TEST(cli_plot, draws_nothing_if_the_only_file_or_one_of_those_laid_over_each_other_is_no_record) {
  records_folder const folder;
  std::string const good = folder.write("a.json", record_of(curves())),
                    bad = folder.write("b.json", {{"schema", 1}});
  std::string const reason = "b.json: schema: a string is needed, the number 1 is there";
  expect_refusal("plot " + bad, reason, 1);
  expect_refusal("plot " + good + " " + bad + " --out " + folder.path("both.svg"), reason, 1);
  EXPECT_FALSE(folder.holds("both.svg"));
  expect_refusal("plot", "FILE");
  expect_refusal("plot --out '' " + good, "--out is \"\"");
  expect_refusal("plot " + folder.path("c.json"), "cannot read", 1);
}

TEST(cli_plot, does_not_draw_over_a_record_that_it_reads_by_whatever_name) {
  records_folder const folder;
  std::string const a = folder.write("a.json", record_of(curves())),
                    b = folder.write("b.json", record_of(curves())), both = "plot " + a + " " + b + " --out ";
  auto const before = folder.content("b.json");
  for (auto const& out : {b, folder.path("./b.json"), folder.link("b.json", "link.svg"),
                          folder.hard_link("b.json", "hard.svg")}) {
    expect_refusal(both + out, "--out is " + out.substr(1, out.size() - 2) + "; legal is another file than ");
    expect_refusal(both + out, "b.json, which is read");
  }
  EXPECT_EQ(folder.content("b.json"), before);
}

TEST(cli_plot, does_not_draw_beside_a_record_what_is_a_record_itself) {
  records_folder const folder;
  std::string const y = folder.write("y.svg", record_of(curves())), a = folder.write("a.json", record_of({}));
  auto const before = folder.content("y.svg");
  folder.link("a.json", "a.svg");
  expect_refusal("plot " + y, "y.svg; legal is another file than ");
  expect_refusal("plot " + a, "a.svg; legal is another file than ");
  auto const result = run("plot " + y + " " + a);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, testing::EndsWith("ballast: 2 of 2 files were not drawn\n"));
  EXPECT_EQ(folder.content("y.svg"), before);
}

TEST(cli_plot, refuses_to_lay_records_of_two_benchmarks_over_each_other) {
  records_folder const folder;
  auto other = record_of(curves());
  other["benchmark"] = "md/solutions";
  expect_refusal("plot " + folder.write("a.json", record_of(curves())) + " " + folder.write("b.json", other) +
                     " --out " + folder.path("both.svg"),
                 "md/solutions");
}

TEST(cli_compare, ends_with_0_if_nothing_is_worse) {
  records_folder const folder;
  auto const result =
      run("compare " + folder.write("a.json", record_of({series("wait", {2, 2.1}), series("old", {1})})) +
          " " + folder.write("b.json", record_of({series("wait", {1, 1.1}), series("new", {1})})));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, AllOf(HasSubstr("wait"), HasSubstr("-48.8 %"), HasSubstr("better\n"),
                                HasSubstr("only in A: old\n"), HasSubstr("only in B: new\n")));
}

TEST(cli_compare, ends_with_3_if_a_series_is_worse_than_the_threshold_allows) {
  records_folder const folder;
  std::string const files = folder.write("a.json", record_of({series("wait", {1})})) + " " +
                            folder.write("b.json", record_of({series("wait", {1.5})}));
  auto const result = run("compare " + files);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "ballast: 1 of 1 series are worse\n");
  EXPECT_THAT(result.out, HasSubstr("worse\n"));
  EXPECT_EQ(run("compare --threshold 60 " + files).code, 0);
}

TEST(cli_compare, ends_with_3_if_the_answer_of_b_was_not_verified) {
  records_folder const folder;
  auto unverified = record_of({series("wait", {1})});
  std::string const a = folder.write("a.json", unverified);
  unverified["answer"] = {{"verified", false}, {"how", "nobody looked"}};
  std::string const b = folder.write("b.json", unverified);
  auto const result = run("compare " + a + " " + b);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("beware: the answer of B was not verified (nobody looked)\n"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("same\n"), Not(HasSubstr("worse"))));
  EXPECT_EQ(run("compare " + b + " " + a).code, 0);
}

TEST(cli_compare, prints_one_json_object_on_request) {
  records_folder const folder;
  auto const result =
      run("compare --json " + folder.write("a.json", record_of({series("wait", {1}), series("run", {0})})) +
          " " + folder.write("b.json", record_of({series("wait", {2}), series("run", {1})})));
  EXPECT_EQ(result.code, 3);
  auto const read = json::parse(result.out);
  EXPECT_EQ(read.at("benchmark"), "queue/round-trip");
  EXPECT_EQ(read.at("threshold_percent"), 5);
  EXPECT_EQ(read.at("b").at("machine"), "two-cores");
  EXPECT_EQ(read.at("series").at(0).at("change_percent"), 100);
  EXPECT_EQ(read.at("series").at(0).at("verdict"), "worse");
  EXPECT_EQ(read.at("series").at(0).at("b").at("median"), 2);
  EXPECT_TRUE(read.at("series").at(1).at("change_percent").is_null());
  EXPECT_EQ(read.at("worse"), true);
}

TEST(cli_compare, refuses_with_2_what_cannot_be_compared_and_with_1_what_cannot_be_read) {
  records_folder const folder;
  auto other = record_of({series("wait", {1})});
  std::string const a = folder.write("a.json", other);
  other["benchmark"] = "md/solutions";
  expect_refusal("compare " + a + " " + folder.write("b.json", other), "b.benchmark is 'md/solutions'");
  expect_refusal("compare " + a, "B");
  expect_refusal("compare --threshold -1 " + a + " " + a, "ballast: --threshold is -1; legal is 0 or more");
  expect_refusal("compare --threshold much " + a + " " + a, "much");
  expect_refusal("compare " + a + " " + folder.path("c.json"), "c.json: No such file", 1);
  EXPECT_THAT(run("compare --help").out, HasSubstr("3 a series of B is worse"));
}

}  // namespace
}  // namespace ballast::cli
