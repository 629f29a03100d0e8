// SPDX-License-Identifier: Apache-2.0
#include "report/papers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
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

/// One value, or a list of them.
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

/// `benchmark`: that of the ratio's other half.
record_figure figure_in(papers_json const& object, std::string const& benchmark) {
  record_figure one;
  one.benchmark = member<std::string>(object, "benchmark", benchmark);
  using kind = record_figure::kind;
  for (auto const& [name, what] :
       {std::pair{"curve", kind::curve}, {"series", kind::series}, {"derived", kind::derived}})
    if (object.contains(name)) one.what = what, one.names = names_in(object.at(name));
  if (one.what == kind::number) one.number = object.at("number").get<double>();
  if (one.what == kind::curve || object.contains("x")) one.places = places_in(object.at("x"));
  one.takes_place = member<std::string>(object, "take", "median") == "x";
  return one;
}

/// The benchmark may stand in either half.
figure_ratio ratio_in(papers_json const& object) {
  if (!object.contains("over")) return {figure_in(object, ""), {}};
  auto const value = figure_in(object, "");
  auto over = figure_in(object.at("over"), value.benchmark);
  return {value, std::move(over)};
}

published_value value_in(papers_json const& object) {
  published_value one{object.at("series").get<std::string>(), number(object, "x"),
                      object.at("y").get<double>(),           object.at("unit").get<std::string>(),
                      object.at("source").get<std::string>(), {}};
  if (object.contains("ours")) one.ours = ratio_in(object.at("ours"));
  return one;
}

figure_check check_in(papers_json const& object) {
  figure_check one{object.at("says").get<std::string>(), ratio_in(object), number(object, "at_least"),
                   number(object, "at_most")};
  if (!one.at_least && !one.at_most) throw error(one.says + ": at_least or at_most is needed");
  if (one.at_most && std::ranges::find(one.value.value.places, "each") != one.value.value.places.end())
    throw error(one.says + ": at_most says nothing about each place, of which the least ratio is taken");
  return one;
}

figure_devices devices_in(papers_json const& object) {
  auto const text = member<std::string>(object, "devices", "any");
  if (text == "any") return figure_devices::any;
  if (text == "one") return figure_devices::one;
  if (text == "several") return figure_devices::several;
  throw_bad_argument("devices", text, "any, one, several");
}

published_figure published_figure_in(papers_json const& object) {
  published_figure one;
  one.figure = object.at("figure").get<std::string>();
  one.title = object.at("title").get<std::string>();
  one.note = member<std::string>(object, "note", "");
  one.benchmarks = names_in(object.at("benchmarks"));
  one.devices = devices_in(object);
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
  one.results = object.at("results").get<std::string>();
  for (auto const& figure : object.at("figures")) one.figures.push_back(published_figure_in(figure));
  return one;
}

bool redoes(published_figure const& figure, std::string_view benchmark) {
  return std::ranges::find(figure.benchmarks, benchmark) != figure.benchmarks.end();
}

}  // namespace

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
