// SPDX-License-Identifier: Apache-2.0
#include "paper_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/files.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "programs.hpp"
#include "report/child_program.hpp"
#include "report/json_text.hpp"
#include "report/pages.hpp"
#include "report/paper_verdict.hpp"
#include "report/papers.hpp"
#include "report/progress.hpp"
#include "report/provenance.hpp"
#include "report/record_folder.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;

struct paper_options {
  std::optional<std::string> name, devices;
  std::string results = "bench-results";
  bool quick = false, draw_only = false, json = false;
};

/// The benchmarks that `ballast bench` can run on certain devices.
struct bench_listing {
  std::string machine;  ///< as records name it
  std::vector<std::string> devices;
  std::map<std::string, std::string> obstacles;  ///< for each benchmark, empty if there is none
};

/// One start of `ballast bench`; an empty list of devices leaves the choice to that program.
struct planned_run {
  std::string benchmark, devices;
  std::optional<std::uint32_t> connections;

  bool operator==(planned_run const&) const = default;
};

/// The runs for a paper, and why some of its figures cannot be measured.
struct paper_plan {
  std::vector<planned_run> runs;    ///< each once
  std::vector<std::string> unable;  ///< for each figure, empty if nothing prevents it
  std::vector<std::string> devices;
  std::size_t measured = 0;  ///< the number of runs skipped because they have a record
};

std::vector<std::string> bench_words(std::vector<std::string> words, std::string const& devices) {
  words.insert(words.begin(), program_file(own_folder(), "bench").string());
  if (!devices.empty()) words.insert(words.end(), {"--devices", devices});
  return words;
}

/// The sentence in a program's complaint, which begins with the program's name and ends with a hint and a new
/// line.
std::string sentence_of(std::string complaint) {
  for (std::string const end : {"\n", " (see ballast bench --help)"})
    if (complaint.ends_with(end)) complaint.resize(complaint.size() - end.size());
  std::string const begin = "ballast: ";
  return complaint.starts_with(begin) ? complaint.substr(begin.size()) : complaint;
}

bench_listing listing_on(std::string const& devices) {
  auto const end = run_child({.words = bench_words({"list", "--json"}, devices)});
  if (end.code != 0) throw command_line::verdict(end.code, sentence_of(end.complaints));
  try {
    auto const listed = parse_json(end.output);
    bench_listing all{listed.at("machine"), listed.at("devices"), {}};
    for (auto const& one : listed.at("benchmarks"))
      all.obstacles[one.at("name")] = one.at("obstacle").is_null() ? "" : one.at("obstacle");
    return all;
  } catch (std::exception const& odd) {
    throw error(std::string("ballast-bench does not say what it can measure: its list ") + odd.what());
  }
}

/// The text for --devices: without the number that distinguishes repeated devices.
std::string spec_of(std::string const& device_name) { return device_name.substr(0, device_name.find('#')); }

/// True if that run of this program would write this record, on the machine and devices of the list.
bool is_of(run_record const& record, planned_run const& run, bench_listing const& on, bool quick) {
  auto const connections = std::to_string(run.connections.value_or(process_connections().count));
  auto const recorded = parameter_of(record, "hardware_connections");  // of GPUs
  return record.benchmark == run.benchmark && record.machine.name == on.machine &&
         record.devices == on.devices && record.source == current_source() &&
         record.version == BALLAST_VERSION && (parameter_of(record, "quick") == "true") == quick &&
         (recorded.empty() || recorded == connections);
}

/// Makes the plan of one paper. Asks `ballast bench` about the devices, so that this process holds none of
/// them while others measure. Skips runs that the records already contain, so that an interrupted run
/// continues where it stopped.
class planner {
 public:
  planner(std::string devices, std::span<filed_record const> records, bool quick)
      : devices_(std::move(devices)), all_(listing_on(devices_)), records_(records), quick_(quick) {
    first_ = all_.devices.size() > 1 ? spec_of(all_.devices.front()) : devices_;
    alone_ = first_ == devices_ ? all_ : listing_on(first_);
  }

  paper_plan plan_of(published_paper const& paper) const {
    paper_plan plan;
    plan.devices = all_.devices;
    for (auto const& figure : paper.figures) plan.unable.push_back(add(figure, plan.runs));
    plan.measured = std::erase_if(plan.runs, [&](auto const& run) { return has_record(run); });
    return plan;
  }

 private:
  /// Adds the runs for a figure. Returns everything that prevents its measurement.
  std::string add(published_figure const& figure, std::vector<planned_run>& runs) const {
    bool const on_one = figure.devices.most == 1;
    auto const& listing = on_one ? alone_ : all_;
    if (figure.devices.least > 1 && all_.devices.size() < 2) return "it needs two devices: name two";
    std::string unable;
    for (auto const& benchmark : figure.benchmarks) {
      auto const obstacle = obstacle_of(listing, benchmark);
      planned_run const run{benchmark, on_one ? first_ : devices_, figure.connections};
      if (!obstacle.empty()) unable += (unable.empty() ? "" : "; ") + benchmark + ": " + obstacle;
      if (obstacle.empty() && std::ranges::find(runs, run) == runs.end()) runs.push_back(run);
    }
    return unable;
  }

  bool has_record(planned_run const& run) const {
    auto const& on = run.devices == first_ ? alone_ : all_;
    return std::ranges::any_of(records_, [&](filed_record const& one) {
      return is_of(one.record, run, on, quick_) && why_no_evidence(one.record).empty();
    });
  }

  static std::string obstacle_of(bench_listing const& listing, std::string const& benchmark) {
    auto const found = listing.obstacles.find(benchmark);
    return found == listing.obstacles.end() ? "this build has no such benchmark" : found->second;
  }

  std::string devices_, first_;
  bench_listing all_, alone_;
  std::span<filed_record const> records_;
  bool quick_;
};

/// "about 40 s", estimated from the runs' times elsewhere.
std::string estimate_of(paper_plan const& plan, bool quick) {
  double seconds = 0;
  std::size_t unknown = 0;
  for (auto const& run : plan.runs) {
    auto const found = all_papers().durations.find(run.benchmark);
    auto const known = found == all_papers().durations.end() ? benchmark_duration{} : found->second;
    seconds += quick ? known.quick : known.whole;
    unknown += (quick ? known.quick : known.whole) == 0 ? 1 : 0;
  }
  auto const text = "about " + duration_text(seconds) + " by what they took on " +
                    (quick ? "two CPU cores" : "one or two H200s");
  return unknown == 0 ? text : text + fmt::format(", and {} of unknown length", unknown);
}

void tell_plan(published_paper const& paper, paper_plan const& plan, bool quick) {
  command_line::print_note(paper.short_name + ": " + paper.title);
  table rows({{"figure", alignment::left}, {"can be measured here", alignment::left}});
  for (std::size_t i = 0; i < paper.figures.size(); ++i)
    rows.add_row({paper.figures[i].figure, plan.unable[i].empty() ? "yes" : "no: " + plan.unable[i]});
  std::cerr << rows.text(charset_of_environment());
  if (plan.measured > 0)
    command_line::print_note(fmt::format("{} of {} runs have a record of this commit already", plan.measured,
                                         plan.measured + plan.runs.size()));
  command_line::print_note(fmt::format("{} runs on {}; {}", plan.runs.size(), fmt::join(plan.devices, ", "),
                                       estimate_of(plan, quick)));
}

std::vector<std::string> words_of(planned_run const& run, paper_options const& options) {
  std::vector<std::string> words{run.benchmark, "--results", options.results};
  if (options.quick) words.emplace_back("--quick");
  if (run.connections) words.insert(words.end(), {"--connections", std::to_string(*run.connections)});
  return bench_words(std::move(words), run.devices);
}

/// Makes the runs of the plan, none after an interrupt. Returns the names of the benchmarks that failed.
std::string run_all(paper_plan const& plan, paper_options const& options) {
  std::string failed;
  auto const begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < plan.runs.size() && !command_line::was_interrupted(); ++i) {
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
    command_line::print_note(part_begins(i + 1, plan.runs.size(), taken.count()));
    auto const end = run_child({.words = words_of(plan.runs[i], options), .complains_here = true});
    if (end.code != 0 && !command_line::was_interrupted()) failed += " " + plan.runs[i].benchmark;
  }
  return failed;
}

json_value or_null(std::optional<double> const& value) { return value ? json_value(*value) : json_value(); }

json_value checks_as_json(published_figure const& figure, figure_verdict const& verdict) {
  json_value::list checks;
  for (std::size_t i = 0; i < figure.checks.size(); ++i) {
    auto const& check = figure.checks[i];
    checks.push_back(json_value::object{{"says", check.says},
                                        {"at_least", or_null(check.at_least)},
                                        {"at_most", or_null(check.at_most)},
                                        {"published", or_null(check.published)},
                                        {"measured", or_null(verdict.checks[i].value)},
                                        {"holds", verdict.checks[i].holds},
                                        {"places", verdict.checks[i].places},
                                        {"within", verdict.checks[i].within}});
  }
  return checks;
}

json_value values_as_json(published_figure const& figure, figure_verdict const& verdict) {
  json_value::list values;
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    auto const& value = figure.values[i];
    values.push_back(json_value::object{{"series", value.series},
                                        {"x", or_null(value.x)},
                                        {"unit", value.unit},
                                        {"published", or_null(value.y)},
                                        {"stated_in", value.source},
                                        {"ours", or_null(verdict.ours[i])}});
  }
  return values;
}

json_value figure_as_json(published_figure const& figure, figure_verdict const& verdict,
                          std::string const& unable) {
  json_value::list records;
  for (auto const* one : verdict.records) records.emplace_back(one->file);
  return json_value::object{{"figure", figure.figure},
                            {"title", figure.title},
                            {"verdict", outcome_text(verdict.outcome)},
                            {"why", verdict.why},
                            {"machine", verdict.machine.empty() ? json_value() : json_value(verdict.machine)},
                            {"origin", verdict.origin},
                            {"changed_since", verdict.since},
                            {"unable", unable.empty() ? json_value() : json_value(unable)},
                            {"quick", verdict.is_quick},
                            {"differences", json_value::list_of(verdict.differences)},
                            {"command", command_for(figure)},
                            {"checks", checks_as_json(figure, verdict)},
                            {"values", values_as_json(figure, verdict)},
                            {"records", records}};
}

json_value paper_as_json(published_paper const& paper) {
  return json_value::object{{"name", paper.key},
                            {"paper", paper.short_name},
                            {"title", paper.title},
                            {"published_on", paper.machine},
                            {"results", paper.results}};
}

void print_verdicts(published_paper const& paper, std::vector<figure_verdict> const& verdicts,
                    std::vector<std::string> const& unable, std::string const& page, bool as_json) {
  json_value::list figures;
  table rows({{"figure", alignment::left}, {"verdict", alignment::left}, {"why", alignment::left}});
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    figures.push_back(figure_as_json(paper.figures[i], verdicts[i], unable[i]));
    rows.add_row({paper.figures[i].figure, std::string(outcome_text(verdicts[i].outcome)),
                  grounds_of(verdicts[i], unable[i])});
  }
  json_value const all =
      json_value::object{{"paper", paper_as_json(paper)}, {"page", page}, {"figures", figures}};
  std::cout << (as_json ? all.text(2) + '\n'
                        : rows.text(charset_of_environment()) + escape_control_characters(page) + '\n');
}

void list_all_papers(bool as_json) {
  json_value::list papers;
  table rows(
      {{"name", alignment::left}, {"paper", alignment::left}, {"figures"}, {"title", alignment::left}});
  for (auto const& one : all_papers().papers) {
    papers.push_back(paper_as_json(one));
    rows.add_row({one.key, one.short_name, std::to_string(one.figures.size()), one.title});
  }
  std::cout << (as_json ? json_value(papers).text(2) + '\n' : rows.text(charset_of_environment()));
}

/// Measures what can be measured, unless only a page is requested. Returns the plan, and sets `failed`.
paper_plan measure(published_paper const& paper, paper_options const& options, std::string& failed) {
  if (options.draw_only) return {{}, std::vector<std::string>(paper.figures.size()), {}, 0};
  auto const there = read_record_folder(options.results);
  auto plan = planner(options.devices.value_or(""), there.records, options.quick).plan_of(paper);
  tell_plan(paper, plan, options.quick);
  failed = run_all(plan, options);
  return plan;
}

/// True if the text is a commit's hash. A record may contain anything as its commit, and git must not take
/// that for an option.
bool is_hash(std::string const& commit) {
  constexpr std::size_t least = 7;
  return commit.size() >= least && commit.find_first_not_of("0123456789abcdef") == commit.npos;
}

/// The number of changed lines in " 3 files changed, 40 insertions(+), 2 deletions(-)".
unsigned long lines_of(std::string const& shortstat) {
  std::istringstream words(shortstat);
  unsigned long lines = 0, number = 0;
  for (std::string word; words >> word;) {
    if (word.find_first_not_of("0123456789") == word.npos) number = std::stoul(word);
    if (word.starts_with("insertion") || word.starts_with("deletion")) lines += number;
  }
  return lines;
}

std::string lines_changed_since(fs::path const& folder, std::string const& commit) {
  try {
    auto const end =
        run_child({.words = {"git", "-C", folder.string(), "diff-tree", "-r", "--shortstat", "--no-ext-diff",
                             commit, "HEAD", "--", ":/include", ":/src", ":/apps"}});
    auto const lines = end.code == 0 ? lines_of(end.output) : 0;
    return lines == 0 ? "" : fmt::format("{} lines of include, src and apps changed since", lines);
  } catch (error const&) { return {}; }  // there is no git
}

/// The history of ballast's code in the Git checkout around a folder, if there is one.
class checkout_history {
 public:
  explicit checkout_history(fs::path folder) : folder_(std::move(folder)) {}

  /// "345 lines of include, src and apps changed since", or empty if none did, or if no checkout knows the
  /// commit. Starts git and waits for it, once for each commit.
  std::string changed_since(std::string const& commit) {
    auto const found = known_.find(commit);
    if (found != known_.end()) return found->second;
    return known_[commit] = is_hash(commit) ? lines_changed_since(folder_, commit) : "";
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> known_;  ///< by commit
};

/// The lines changed since the oldest of the verdict's records, which has the most changes since.
std::string changed_since_oldest(checkout_history& history, figure_verdict const& verdict) {
  auto const started = [](filed_record const* one) { return one->record.started; };
  if (verdict.records.empty()) return {};
  return history.changed_since(
      (*std::ranges::min_element(verdict.records, {}, started))->record.source.commit);
}

/// Makes the folder early, so that an obstacle shows before anything is measured.
void make_folder(fs::path const& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw error("cannot make the folder " + folder.string() + ": " + failed.message());
}

/// Measures a paper's figures again and writes their page. Throws ballast::error if something failed, after
/// the page and the verdicts.
void reproduce(published_paper const& paper, paper_options const& options) {
  fs::path const folder = options.results, page = folder / (paper.key + ".html");
  make_folder(folder);
  for (auto const& file : json_files_of(folder)) note_read(file);
  command_line::check_not_overwriting({"the page of --results", page.string()});
  check_replaceable(page);
  std::string failed;
  auto const plan = measure(paper, options, failed);
  auto const found = read_record_folder(folder);
  auto verdicts = judge(paper, found.records);
  checkout_history history(folder);
  for (auto& one : verdicts) one.since = changed_since_oldest(history, one);
  auto const drawn = page_of_paper(paper, verdicts, plan.unable);
  replace_file(page, drawn.html);
  print_verdicts(paper, verdicts, plan.unable, page.string(), options.json);
  for (auto const& one : found.broken) command_line::print_warning(one.why);
  for (auto const& one : drawn.complaints) command_line::print_warning("beware: " + one);
  if (!failed.empty()) throw error("these benchmarks failed:" + failed);
  if (!found.broken.empty())
    throw error("the page lacks " + std::to_string(found.broken.size()) + " files, which are broken");
}

}  // namespace

void add_paper_command(CLI::App& app) {
  auto const options = std::make_shared<paper_options>();
  auto* const command =
      app.add_subcommand("paper", "Measure a paper's figures again, beside what it published");
  std::vector<std::string> names;
  for (auto const& one : all_papers().papers) names.push_back(one.key);
  command_line::takes_one_of(
      command->add_option("NAME", options->name, "The paper; without it all are listed"), names);
  command_line::begin_group(*command, command_line::work_group);
  auto* const quick =
      command->add_flag("--quick", options->quick, "Show that it works: few repetitions of small cases");
  auto* const draw_only = command->add_flag("--draw-only", options->draw_only,
                                            "Measure nothing: the page of the records that are there");
  command_line::begin_group(*command, command_line::device_group);
  auto* const devices = command_line::add_devices_option(*command, options->devices);
  command_line::begin_group(*command, command_line::output_group);
  auto* const results =
      command_line::add_path(*command, "--results", options->results, "FOLDER",
                             "Records go to FOLDER/<machine>/, and the page to FOLDER/NAME.html")
          ->default_str(options->results);
  command->add_flag("--json", options->json, "Print one JSON object, or of all papers one list");
  command_line::add_examples(*command, {"ballast paper", "ballast paper mohan2014 --quick --devices host:2",
                                        "ballast paper chen2010 --draw-only --json"});
  command->callback([=] {
    if (!options->name) {
      command_line::check_not_given({quick, draw_only, devices, results},
                                    "without NAME, which lists the papers");
      return list_all_papers(options->json);
    }
    if (options->draw_only)
      command_line::check_not_given({quick, devices}, "beside --draw-only, which measures nothing");
    reproduce(all_papers().named(*options->name), *options);
  });
}

}  // namespace ballast::cli
