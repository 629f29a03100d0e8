// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_run.hpp"
#include "invented_record.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// A folder for records and pages, empty at first and removed at the end.
class pages_folder {
 public:
  pages_folder() { fs::remove_all(path_), fs::create_directories(path_); }
  ~pages_folder() { fs::remove_all(path_); }
  pages_folder(pages_folder const&) = delete;
  pages_folder& operator=(pages_folder const&) = delete;

  std::string quoted() const { return "'" + path_.string() + "'"; }
  void write(std::string const& name, std::string const& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  void write(std::string const& name, json const& record) const { write(name, record.dump()); }
  std::string read(std::string const& name) const { return contents(path_ / name); }
  fs::path operator/(std::string const& name) const { return path_ / name; }

 private:
  fs::path const path_ =
      tested_folder() /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".pages");
};

/// A record of ep on two devices, on which `learned` takes that share of the time of static halves.
json ep_record(double share, bool quick = false) {
  auto const series = [](std::string const& name, double seconds) {
    return json{{"name", name}, {"unit", "s"}, {"samples", {seconds}}};
  };
  auto record = invented_record("job/pair_ep");
  record["command"] = {"ballast-bench", "<job>", "&"};
  record["machine"]["cpu"] = "invented \"<b>\"";
  record["devices"] = {"host:1", "host:1/4.5"};
  record["policies"] = {{"split", "learned"}};
  record["parameters"] = {{"quick", quick}};
  record["series"] = {series("alone on host:1", 1), series("alone on host:1/4.5", 4),
                      series("static", 2),          series("master_worker", 2 * share),
                      series("fixed", 2 * share),   series("learned", 1)};
  record["axes"] = {
      {"title", "ep <b>"}, {"x_label", ""}, {"y_label", ""}, {"x_log", false}, {"y_log", false}};
  return record;
}

/// Expects well-formed XML, which is stricter than HTML, that loads nothing from elsewhere.
void expect_self_contained(fs::path const& page) {
  auto const check =
      "import sys, xml.etree.ElementTree as tree\n"
      "text = open(sys.argv[1], encoding='utf-8').read()\n"
      "assert text.startswith('<!DOCTYPE html>')\n"
      "for one in tree.fromstring(text.split('\\n', 1)[1]).iter():\n"
      "    for name in ('src', 'href'):\n"
      "        assert one.get(name, '#').startswith(('#', 'data:image/svg+xml;base64,')), one.get(name)\n";
  EXPECT_EQ(std::system(("python3 -c \"" + std::string(check) + "\" '" + page.string() + "'").c_str()), 0);
}

json figure_named(json const& paper, std::string const& name) {
  for (auto const& one : paper.at("figures"))
    if (one.at("figure") == name) return one;
  return {};
}

json judged(pages_folder const& folder, json const& record) {
  folder.write("two-cores/a.json", record);
  auto const result = run("paper ohno2016 --draw-only --json --results " + folder.quoted());
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

TEST(cli_report, writes_one_page_of_all_records_in_a_folder_and_its_folders) {
  pages_folder const folder;
  folder.write("two-cores/a.json", ep_record(0.5));
  auto other = ep_record(0.5);
  other["benchmark"] = "queue/round_trip";
  other["source"]["commit"] = "fedcba98765";
  folder.write("b.json", other);
  auto const result = run("report " + folder.quoted());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, EndsWith("/report.html\n"));
  expect_self_contained(folder / "report.html");
  auto const page = folder.read("report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<h2>job/pair_ep</h2>"), HasSubstr("<h2>queue/round_trip</h2>"),
                          HasSubstr("two-cores/a.json"), HasSubstr("data-commit=\"fedcba9876\""),
                          HasSubstr("split: &quot;learned&quot;"), HasSubstr("<td>static</td>"),
                          HasSubstr("data:image/svg+xml;base64,"), HasSubstr("id=\"by_device\"")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("<job>"))));
}

TEST(cli_report, tells_a_program_the_page_and_what_it_lacks) {
  pages_folder const folder;
  folder.write("a.json", ep_record(0.5));
  auto const told = json::parse(run("report --json " + folder.quoted()).out);
  EXPECT_THAT(told.at("page").get<std::string>(), EndsWith("/report.html"));
  EXPECT_EQ(told.at("records"), 1);
  EXPECT_EQ(told.at("broken"), json::array());
  EXPECT_EQ(told.at("missing_pictures"), json::array());
  auto const drawn = json::parse(run("plot --json '" + (folder / "a.json").string() + "'").out);
  EXPECT_EQ(drawn.at("pictures"), json::array({(folder / "a.svg").string()}));
}

TEST(cli_report, tells_of_broken_records_and_shows_the_others) {
  pages_folder const folder;
  folder.write("a.json", ep_record(0.5));
  folder.write("cut<i>.json", ep_record(0.5).dump().substr(0, 100));
  folder.write("wrong.json", json{{"schema", "ballast-run/1"}, {"benchmark", 3}});
  folder.write("trace.json", json{{"traceEvents", json::array()}});
  auto const result = run("report " + folder.quoted() + " --out " + (folder / "all.html").string());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("cut<i>.json is not JSON"), HasSubstr("wrong.json: benchmark: a string"),
                    Not(HasSubstr("trace.json")), HasSubstr("ballast: 2 files are broken and 0 ")));
  auto const page = folder.read("all.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<h2>job/pair_ep</h2>"), HasSubstr("cut&lt;i&gt;.json is not JSON"),
                          HasSubstr("wrong.json: benchmark"), HasSubstr("<li>trace.json</li>")));
  expect_self_contained(folder / "all.html");
}

TEST(cli_report, writes_the_page_without_pictures_if_there_is_no_gnuplot) {
  pages_folder const folder;
  folder.write("a.json", ep_record(0.5));
  auto const result = run("report " + folder.quoted(), "env PATH=/nowhere");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("gnuplot-nox"));
  EXPECT_THAT(folder.read("report.html"),
              AllOf(HasSubstr("There is no picture: "), HasSubstr("<td>static</td>")));
}

TEST(cli_report, refuses_what_is_no_folder_of_records_and_to_write_over_one) {
  pages_folder const folder;
  expect_refusal("report " + folder.quoted(), "there is no record in it", 1);
  expect_refusal("report /nowhere", "FOLDER is /nowhere; legal is a folder that is there");
  expect_refusal("report", "FOLDER");
  folder.write("a.json", ep_record(0.5));
  auto const before = folder.read("a.json");
  expect_refusal("report " + folder.quoted() + " --out " + (folder / "a.json").string(),
                 "a.json, which is read");
  expect_refusal("report " + folder.quoted() + " --out ''", "--out is \"\"; legal is the name of a FILE");
  EXPECT_EQ(folder.read("a.json"), before);
}

TEST(cli_paper, lists_the_papers) {
  auto const listed = run("paper");
  EXPECT_EQ(listed.code, 0);
  for (std::string const key : {"chen2010", "mohan2014", "wende2012", "coscheduling", "ohno2016"})
    EXPECT_THAT(listed.out, HasSubstr("\n" + key + " "));
  auto const papers = json::parse(run("paper --json").out);
  ASSERT_EQ(papers.size(), 5u);
  EXPECT_EQ(papers[0].at("name"), "chen2010");
}

TEST(cli_paper, knows_the_papers_that_are_cited) {
  std::istringstream cited(contents(BALLAST_CITATION));
  std::string words;  // a title may be folded over lines
  for (std::string word; cited >> word;) words += word + " ";
  for (auto const& paper : json::parse(run("paper --json").out))
    EXPECT_THAT(words, HasSubstr(paper.at("title").get<std::string>() + " "));
}

TEST(cli_paper, judges_figures_by_the_records_that_are_there) {
  pages_folder const folder;
  auto const good = judged(folder, ep_record(0.4));
  auto const figure = figure_named(good, "Fig. 14b");
  EXPECT_EQ(figure.at("verdict"), "reproduced");
  EXPECT_EQ(figure.at("quick"), false);
  EXPECT_EQ(figure.at("machine"), "two-cores");
  EXPECT_EQ(figure.at("records"), json::array({"two-cores/a.json"}));
  EXPECT_EQ(figure.at("values").at(0).at("published"), 0.4);
  EXPECT_DOUBLE_EQ(figure.at("values").at(0).at("ours"), 0.4);
  EXPECT_DOUBLE_EQ(figure.at("values").at(2).at("ours"), 0.8);  // relative to the faster device alone
  EXPECT_TRUE(figure.at("values").at(3).at("published").is_null()) << "ballast's own policy";
  EXPECT_DOUBLE_EQ(figure.at("values").at(3).at("ours"), 0.5);
  EXPECT_EQ(figure_named(good, "Fig. 14a").at("verdict"), "not measured");
  EXPECT_THAT(figure_named(good, "Fig. 14a").at("why"), HasSubstr("job/pair_matmul"));
  EXPECT_TRUE(figure_named(good, "Fig. 14a").at("machine").is_null());
  EXPECT_EQ(figure_named(judged(folder, ep_record(0.51)), "Fig. 14b").at("verdict"), "gone on this hardware");
}

TEST(cli_paper, says_how_much_the_code_has_changed_since_if_a_checkout_knows) {
  pages_folder const folder;
  auto const git = [&](std::string const& words) {
    auto const line = "cd " + folder.quoted() +
                      " && git -c user.name=n -c user.email=e -c init.defaultBranch=main " + words;
    return std::system((words.find(">") == words.npos ? line + " >/dev/null 2>&1" : line).c_str());
  };
  if (git("init") != 0) GTEST_SKIP() << "there is no git";
  folder.write("src/a.cpp", std::string("one\n"));
  ASSERT_EQ(git("add src") + git("commit -m first"), 0);
  ASSERT_EQ(git("rev-parse HEAD >commit.txt") + git("tag first"), 0);
  folder.write("src/a.cpp", std::string("two\nthree\n"));
  folder.write("docs/a.md", std::string("no code\n"));
  ASSERT_EQ(git("add src docs") + git("commit -m second"), 0);
  auto const since = [&](std::string const& commit) {
    auto record = ep_record(0.4);
    record["source"]["commit"] = commit;
    return figure_named(judged(folder, record), "Fig. 14b").at("changed_since").get<std::string>();
  };
  std::istringstream words(folder.read("commit.txt"));
  std::string first;
  words >> first;
  EXPECT_EQ(since(first), "3 lines of include, src and apps changed since");
  EXPECT_EQ(since("0123456789abcdef"), "") << "nobody knows that commit";
  EXPECT_EQ(since("--output=stolen"), "");
  EXPECT_FALSE(fs::exists(folder / "stolen"));
}

TEST(cli_paper, writes_a_page_with_each_figure_its_verdict_and_both_values) {
  pages_folder const folder;
  auto const paper = judged(folder, ep_record(0.4, true));
  expect_self_contained(folder / "ohno2016.html");
  auto const page = folder.read("ohno2016.html");
  for (auto const& figure : paper.at("figures"))
    EXPECT_THAT(page, HasSubstr("<h2>" + figure.at("figure").get<std::string>() + ": "));
  EXPECT_THAT(page, AllOf(HasSubstr("class=\"verdict reproduced\">reproduced<"),
                          HasSubstr(" on two-cores (host:1 host:1/4.5; "), HasSubstr(", of a quick run"),
                          HasSubstr("class=\"verdict not_measured\">not measured<"),
                          HasSubstr("picture of Ohno 2016, Fig. 14b"), HasSubstr("<td>section 5.1</td>"),
                          HasSubstr("<code>ballast bench job/pair_ep --devices DEVICE,SLOWER</code>"),
                          HasSubstr("two-cores/a.json"), Not(HasSubstr("<job>"))));
}

TEST(cli_paper, measures_what_the_devices_can_and_says_what_they_cannot) {
  pages_folder const folder;
  auto const result = run("paper mohan2014 --quick --json --devices host:1 --results " + folder.quoted(),
                          "env BALLAST_COMMIT=0123456789abcdef");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("2 runs on host:1; about "), HasSubstr("[2 of 2, ")));
  auto const figures = json::parse(result.out).at("figures");
  ASSERT_EQ(figures.size(), 2u);
  for (auto const& one : figures) {
    EXPECT_EQ(one.at("verdict"), "does not apply here") << one;
    EXPECT_EQ(one.at("quick"), true);
    EXPECT_EQ(one.at("records").size(), 1u);
  }
  expect_self_contained(folder / "mohan2014.html");
}

TEST(cli_paper, measures_nothing_again_that_has_a_record_of_this_commit) {
  pages_folder const folder;
  auto const measured_at = [&](std::string const& commit, std::string const& devices = "host:1") {
    auto const result = run("paper mohan2014 --quick --devices " + devices + " --results " + folder.quoted(),
                            "env BALLAST_COMMIT=" + commit);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  auto const there = "2 of 2 runs have a record of this commit already";
  EXPECT_THAT(measured_at("0123456789abcdef"), Not(HasSubstr(there)));
  EXPECT_THAT(measured_at("0123456789abcdef"), AllOf(HasSubstr(there), HasSubstr("0 runs on host:1; ")));
  EXPECT_THAT(measured_at("0123456789abcdef", "host:1/2"), Not(HasSubstr(there)));
  EXPECT_THAT(measured_at("fedcba9876543210-dirty"), Not(HasSubstr(there)));
  EXPECT_THAT(measured_at("fedcba9876543210-dirty"), Not(HasSubstr(there))) << "such a record shows nothing";
}

TEST(cli_paper, says_what_needs_two_devices) {
  pages_folder const folder;
  auto const result = run("paper ohno2016 --quick --json --devices host:1 --results " + folder.quoted());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("no: it needs two devices: name two"), HasSubstr("1 runs on host:1; ")));
  auto const paper = json::parse(result.out);
  EXPECT_THAT(figure_named(paper, "Fig. 15a").at("unable"), HasSubstr("needs two devices"));
  EXPECT_TRUE(figure_named(paper, "Fig. 14, one device").at("unable").is_null());
}

TEST(cli_paper, refuses_other_papers_devices_that_do_not_exist_and_options_that_would_do_nothing) {
  expect_refusal("paper chen2011",
                 "NAME is chen2011; legal is chen2010, mohan2014, wende2012, coscheduling or ohno2016; did "
                 "you mean chen2010?");
  expect_refusal("paper --quick", "--quick is true; legal is nothing without NAME");
  expect_refusal("paper --results r", "--results is r; legal is nothing without NAME");
  expect_refusal("paper chen2010 --draw-only --quick",
                 "--quick is true; legal is nothing beside --draw-only");
  expect_refusal("paper chen2010 --draw-only --devices host:1",
                 "--devices is host:1; legal is nothing beside");
  expect_refusal("paper chen2010 --results ''", "--results is \"\"; legal is the name of a FOLDER");
  expect_refusal("paper chen2010 --results /dev/null/none", "cannot make the folder /dev/null/none", 1);
  pages_folder const folder;
  expect_refusal("paper chen2010 --devices nothing:1 --results " + folder.quoted(), "nothing:1");
}

}  // namespace
}  // namespace ballast::cli
