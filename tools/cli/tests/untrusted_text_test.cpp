// SPDX-License-Identifier: Apache-2.0
// Foreign records, file names and programs, and their possible attacks on the reader.
#include <functional>
#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "invented_record.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string const evil = "\x1b[31mEVIL\nballast: forged \u009b31m\u202e";

json record_with(std::function<void(json&)> const& change) {
  auto record = invented_record("queue/round-trip");
  record["series"] = {{{"name", "a"}, {"unit", "s"}, {"samples", {1, 2, 3}}}};
  change(record);
  return record;
}

std::string in_quotes(fs::path const& path) { return "'" + path.string() + "'"; }

/// Expects that no output drives a terminal or has a line that this program did not write.
void expect_tame(std::string const& arguments, std::string const& before = "env",
                 fs::path const& program = tested_folder() / "ballast") {
  SCOPED_TRACE(arguments);
  auto const ran = run(arguments, before, program);
  for (auto const& text : {ran.out, ran.err})
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\nballast: forged")),
                            Not(HasSubstr("\u009b")), Not(HasSubstr("\u202e"))));
  EXPECT_THAT(ran.out + ran.err, HasSubstr("[31mEVIL"));
}

class cli_untrusted_text : public testing::Test {
 protected:
  fs::path write(std::string const& name, json const& record) const {
    return folder_.file(name, record.dump());
  }
  fs::path at(std::string const& name) const { return folder_.path() / name; }
  std::string all() const { return in_quotes(folder_.path()); }

 private:
  test::scratch_folder folder_;
};

TEST_F(cli_untrusted_text, of_a_record_is_quoted_where_it_is_shown) {
  auto const plain = write("plain.json", record_with([](json&) {}));
  std::function<void(json&)> const changes[] = {[](json& record) { record["machine"]["name"] = evil; },
                                                [](json& record) { record["series"][0]["unit"] = evil; },
                                                [](json& record) { record["series"][0]["name"] = evil; },
                                                [](json& record) { record["devices"] = {evil}; },
                                                [](json& record) { record["started"] = evil; },
                                                [](json& record) {
                                                  record["parameters"] = {{evil, 1}};
                                                },
                                                [](json& record) {
                                                  record["answer"] = {{"verified", false}, {"how", evil}};
                                                }};
  for (auto const& change : changes) {
    auto const other = write("evil.json", record_with(change));
    expect_tame("compare " + in_quotes(plain) + " " + in_quotes(other));
  }
  for (auto const* const name : {"schema", "benchmark"})
    expect_tame("compare " + in_quotes(plain) + " " +
                in_quotes(write("evil.json", record_with([&](json& record) { record[name] = evil; }))));
  write("evil.json", record_with([](json& record) { record["benchmark"] = evil; }));
  expect_tame("report " + all());
  expect_tame("paper mohan2014 --draw-only --results " + all());
}

TEST_F(cli_untrusted_text, of_a_name_is_quoted_where_it_is_shown) {
  expect_tame("plot " + in_quotes(at(evil)));
  expect_tame("md --devices host:1 --restart " + in_quotes(at(evil)));
  expect_tame("hotspot --devices host:1 --power " + in_quotes(at(evil)));
  expect_tame("devices --no-links", "env BALLAST_CALLED_BY=" + in_quotes(evil));
  write(evil + ".json", record_with([](json&) {}));
  expect_tame("plot " + in_quotes(at(evil + ".json")));
  std::ofstream(at("broken" + evil + ".json")) << "{";
  expect_tame("report " + all());
  expect_tame("paper mohan2014 --draw-only --results " + all());
}

TEST_F(cli_untrusted_text, that_is_nested_deeply_is_refused_by_whatever_reads_it) {
  auto const plain = write("plain.json", record_with([](json&) {}));
  auto text = record_with([](json& record) { record["parameters"] = {{"deep", "@"}}; }).dump();
  text.replace(text.find("\"@\""), 3, std::string(50000, '[') + std::string(50000, ']'));
  std::ofstream(at("deep.json")) << text;
  expect_refusal("plot " + in_quotes(at("deep.json")), "is nested too deeply", 1);
  expect_refusal("compare " + in_quotes(plain) + " " + in_quotes(at("deep.json")), "is nested too deeply", 1);
  auto const report = run("report " + all());
  EXPECT_EQ(report.code, 1);
  EXPECT_THAT(report.err, HasSubstr("is nested too deeply"));
  auto const paper = run("paper mohan2014 --draw-only --results " + all());
  EXPECT_EQ(paper.code, 1);
  EXPECT_THAT(paper.err, HasSubstr("ballast: " + at("deep.json").string() + " is nested too deeply"));
}

TEST_F(cli_untrusted_text, is_in_pictures_and_pages_that_are_well_formed) {
  std::string const odd =
      "<a & 'b'> ]]> \"c\" \u0001\u007f\u0085\xEF\xBF\xBE\xEF\xBF\xBF \u2028 %d \\n ${x} `y`";
  auto const file =
      write("odd.json", record_with([&](json& record) {
              record["machine"]["name"] = record["started"] = record["source"]["commit"] = odd;
              record["devices"] = {odd};
              record["parameters"] = {{odd, odd}};
              record["answer"]["how"] = odd;
              record["axes"] = {
                  {"title", odd}, {"x_label", odd}, {"y_label", odd}, {"x_log", true}, {"y_log", true}};
              auto one = record["series"][0];
              one["name"] = one["unit"] = one["curve"] = odd;
              one["x"] = 1;
              record["series"].push_back(one);
              one["name"] = odd + ".x";
              one["curve"] = "";
              record["series"].push_back(one);
            }));
  ASSERT_EQ(run("plot " + in_quotes(file)).code, 0);
  ASSERT_EQ(run("report " + all()).code, 0);
  ASSERT_EQ(run("paper mohan2014 --draw-only --results " + all()).code, 0);
  for (auto const* const name : {"odd.svg", "report.html", "mohan2014.html"}) {
    auto const read =
        run("-c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' " + in_quotes(at(name)),
            "env", "python3");
    EXPECT_EQ(read.code, 0) << name << '\n' << read.err;
  }
}

TEST_F(cli_untrusted_text, of_numbers_that_derived_ones_would_overflow_by_is_refused_by_the_records_name) {
  auto const big = in_quotes(write("big.json", record_with([](json& record) {
                                     record["series"][0]["samples"] = {1e308, 1.7e308, -1.7e308};
                                   })));
  auto const plain = in_quotes(write("plain.json", record_with([](json&) {})));
  for (auto const& asked : {"compare " + big + " " + plain, "compare " + plain + " " + big, "plot " + big,
                            "plot " + plain + " " + big + " --out " + in_quotes(at("both.svg"))})
    expect_refusal(asked, "big.json: run_record.series a is 1e+308; legal is ", 1);
  EXPECT_FALSE(fs::exists(at("both.svg")));
}

TEST_F(cli_untrusted_text, of_records_is_not_written_over_by_a_page_that_is_a_link_to_one) {
  auto const file = write("record.json", record_with([](json&) {}));
  auto const before = contents(file);
  fs::create_directory(at("below"));
  fs::rename(file, at("below/record.json"));
  for (auto const* const name : {"mohan2014.html", "report.html"})
    fs::create_symlink("below/record.json", at(name));
  expect_refusal("paper mohan2014 --draw-only --results " + all(), "record.json, which is read");
  expect_refusal("report " + all(), "record.json, which is read");
  EXPECT_EQ(contents(at("below/record.json")), before);
}

}  // namespace
}  // namespace ballast::cli
