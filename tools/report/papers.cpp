// SPDX-License-Identifier: Apache-2.0
#include "report/papers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast_published.hpp"
#include "report/json_text.hpp"

namespace ballast {
namespace {

using papers_json = nlohmann::json;

template <class Value>
Value member(papers_json const& object, char const* name, Value otherwise) {
  return object.contains(name) ? object.at(name).get<Value>() : otherwise;
}

std::optional<double> number(papers_json const& object, char const* name) {
  return object.contains(name) ? std::optional(object.at(name).get<double>()) : std::nullopt;
}

/// One value, or a list of values.
std::vector<papers_json> listed(papers_json const& value) {
  return value.is_array() ? value.get<std::vector<papers_json>>() : std::vector<papers_json>{value};
}

std::vector<std::string> names_in(papers_json const& value) {
  std::vector<std::string> names;
  for (auto const& one : listed(value)) names.push_back(one.get<std::string>());
  return names;
}

std::vector<std::string> places_in(papers_json const& value) {
  std::vector<std::string> places;
  for (auto const& one : listed(value))
    places.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return places;
}

/// Reads a figure. `benchmark` is that of the ratio's other half, for a figure that names none.
record_figure figure_in(papers_json const& object, std::string const& benchmark) {
  record_figure one;
  one.benchmark = member<std::string>(object, "benchmark", benchmark);
  using kind = record_figure::kind;
  for (auto const& [name, what] :
       {std::pair{"curve", kind::curve}, {"series", kind::series}, {"derived", kind::derived}})
    if (object.contains(name)) one.what = what, one.names = names_in(object.at(name));
  if (one.what == kind::number) one.number = object.at("number").get<double>();
  if (object.contains("x")) one.places = places_in(object.at("x"));
  if (one.what == kind::curve && one.places.empty()) one.places = {"each"};
  one.takes_place = member<std::string>(object, "take", "median") == "x";
  return one;
}

/// Either half may name the benchmark.
figure_ratio ratio_in(papers_json const& object) {
  if (!object.contains("over")) return {figure_in(object, ""), {}};
  auto const value = figure_in(object, "");
  auto over = figure_in(object.at("over"), value.benchmark);
  return {value, std::move(over)};
}

published_value value_in(papers_json const& object) {
  published_value one;
  one.series = object.at("series").get<std::string>();
  one.x = number(object, "x");
  one.y = number(object, "y");
  one.unit = object.at("unit").get<std::string>();
  one.source = object.at("source").get<std::string>();
  if (object.contains("ours")) one.ours = ratio_in(object.at("ours"));
  if (!one.y && !one.ours) throw error(one.series + ": y or ours is needed");
  return one;
}

/// The published value must itself satisfy the bound.
void check_published(figure_check const& check) {
  if (!check.published) return;
  if (check.at_least.has_value() == check.at_most.has_value())
    throw error(check.says + ": a published number goes with one of at_least and at_most");
  if (check.at_least ? *check.published < *check.at_least : *check.published > *check.at_most)
    throw error(check.says + ": the published number does not hold");
}

figure_check check_in(papers_json const& object) {
  figure_check one;
  one.says = object.at("says").get<std::string>();
  one.value = ratio_in(object);
  if (object.contains("expected")) one.expected = ratio_in(object.at("expected"));
  one.at_least = number(object, "at_least");
  one.at_most = number(object, "at_most");
  one.published = number(object, "published");
  if (!one.at_least && !one.at_most) throw error(one.says + ": at_least or at_most is needed");
  if (one.expected && !is_at_each_place(one.value))
    throw error(one.says + ": what is expected belongs to a ratio of two curves at each place");
  check_published(one);
  return one;
}

/// {"count": 4} or {"at_least": 2}, and "gpus" and "unequal".
figure_devices devices_in(papers_json const& object) {
  figure_devices one;
  if (object.contains("count")) one.least = one.most = object.at("count").get<std::size_t>();
  one.least = member<std::size_t>(object, "at_least", one.least);
  one.gpus = member(object, "gpus", false);
  one.unequal = member(object, "unequal", false);
  return one;
}

published_figure published_figure_in(papers_json const& object) {
  published_figure one;
  one.figure = object.at("figure").get<std::string>();
  one.title = object.at("title").get<std::string>();
  one.note = member<std::string>(object, "note", "");
  one.benchmarks = names_in(object.at("benchmarks"));
  if (object.contains("devices")) one.devices = devices_in(object.at("devices"));
  auto const sizes = member<papers_json>(object, "sizes", papers_json::object());
  for (auto const& [name, value] : sizes.items()) one.sizes[name] = value.dump();
  if (object.contains("connections")) one.connections = object.at("connections").get<std::uint32_t>();
  for (auto const& value : member<std::vector<papers_json>>(object, "values", {}))
    one.values.push_back(value_in(value));
  for (auto const& check : object.at("checks")) one.checks.push_back(check_in(check));
  if (one.checks.empty()) throw error(one.figure + ": a check is needed");
  return one;
}

published_paper paper_in(papers_json const& object) {
  published_paper one;
  one.key = object.at("key").get<std::string>();
  one.short_name = object.at("short").get<std::string>();
  one.title = object.at("title").get<std::string>();
  one.machine = object.at("machine").get<std::string>();
  one.authors = object.at("authors").get<std::string>();
  one.published_in = object.at("published_in").get<std::string>();
  one.doi = member<std::string>(object, "doi", "");
  one.results = object.at("results").get<std::string>();
  for (auto const& figure : object.at("figures")) one.figures.push_back(published_figure_in(figure));
  return one;
}

bool redoes(published_figure const& figure, std::string_view benchmark) {
  return std::ranges::find(figure.benchmarks, benchmark) != figure.benchmarks.end();
}

bool is_gpu(std::string_view device) { return device.starts_with("cuda:"); }

/// The text that determines a device's speed: "cuda of NVIDIA H200@104" for "cuda:0@104#1", "host:1/4.5" for
/// itself.
std::string kind_of(std::string_view device, std::span<gpu_facts const> gpus) {
  device = device.substr(0, device.find('#'));
  if (!is_gpu(device)) return std::string(device);
  auto const number = device.substr(std::string_view("cuda:").size());
  std::size_t index = 0;
  auto const end = std::from_chars(number.data(), number.data() + number.size(), index).ptr;
  auto const model = index < gpus.size() ? gpus[index].model : "";
  return "cuda of " + model + std::string(end, number.data() + number.size());
}

bool are_equal(std::span<std::string const> devices, std::span<gpu_facts const> gpus) {
  std::set<std::string> kinds;
  for (auto const& one : devices) kinds.insert(kind_of(one, gpus));
  return kinds.size() < 2;
}

std::string counted(std::size_t devices) {
  return devices == 1 ? "one device" : fmt::format("{} devices", devices);
}

}  // namespace

std::string why_not_on(std::span<std::string const> devices, std::span<gpu_facts const> gpus,
                       figure_devices const& needed) {
  if (needed.gpus && !std::ranges::all_of(devices, is_gpu)) return "it is of GPUs";
  if (devices.size() < needed.least || devices.size() > needed.most)
    return needed.least == needed.most ? "it is of " + counted(needed.least)
                                       : "it is of at least " + counted(needed.least);
  if (needed.unequal && are_equal(devices, gpus)) return "it is of unequal devices";
  return {};
}

std::string example_of(figure_devices const& needed) {
  if (needed.least == 1 && needed.most != 1) return {};
  std::string text = "DEVICE";
  for (std::size_t more = 1; more < needed.least; ++more) text += needed.unequal ? ",SLOWER" : ",DEVICE";
  return text;
}

published_paper const& published_papers::named(std::string_view key) const {
  std::vector<std::string_view> keys;
  for (auto const& one : papers) keys.push_back(one.key);
  return papers[index_among(keys, "NAME", key)];
}

std::string published_papers::figures_of(std::string_view benchmark) const {
  std::string text;
  for (auto const& paper : papers) {
    bool is_first = true;
    for (auto const& figure : paper.figures) {
      if (!redoes(figure, benchmark)) continue;
      if (is_first) text += (text.empty() ? "" : "; ") + paper.short_name + ", ";
      text += (is_first ? "" : ", ") + figure.figure;
      is_first = false;
    }
  }
  return text;
}

bool fits(std::string_view pattern, std::string_view text) {
  auto const star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  auto const before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return text.size() >= before.size() + after.size() && text.starts_with(before) && text.ends_with(after);
}

bool is_at_each_place(figure_ratio const& ratio) {
  return ratio.over && ratio.value.what == record_figure::kind::curve &&
         ratio.value.places == std::vector<std::string>{"each"};
}

published_papers read_papers(std::string_view text) {
  try {
    auto const document = parse_json(text);
    if (document.at("schema") != "ballast-papers/1") throw error("schema: ballast-papers/1 is needed");
    published_papers all;
    for (auto const& paper : document.at("papers")) all.papers.push_back(paper_in(paper));
    for (auto const& [benchmark, seconds] : document.at("seconds").items())
      all.durations[benchmark] = {member(seconds, "quick", 0.0), member(seconds, "whole", 0.0)};
    return all;
  } catch (papers_json::exception const& problem) {
    throw error(std::string("the published values cannot be read: ") + problem.what());
  }
}

published_papers const& all_papers() {
  static published_papers const all = read_papers(published_json);
  return all;
}

}  // namespace ballast
