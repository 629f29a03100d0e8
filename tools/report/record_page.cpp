// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "ballast/error.hpp"
#include "report/html.hpp"
#include "report/pages.hpp"
#include "report/plot.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast {
namespace {

using html_row = std::vector<std::string>;

std::string spaced(std::vector<std::string> const& words, std::string_view between) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

std::string commit_text(source_state const& source) {
  if (source.commit.empty()) return "unknown";
  return source.commit.substr(0, 10) + (source.clean.value_or(true) ? "" : " (changed)");
}

std::string pairs_text(json_value::object const& members) {
  std::string text;
  for (auto const& [name, value] : members) text += (text.empty() ? "" : "; ") + name + ": " + value.text();
  return text.empty() ? "none" : text;
}

std::string answer_text(verification const& answer) {
  return (answer.verified ? "verified: " : "NOT VERIFIED: ") + answer.how;
}

/// The record's facts about itself, name and value.
std::vector<std::pair<std::string, std::string>> facts_of(filed_record const& one) {
  auto const& record = one.record;
  auto const& machine = record.machine;
  return {{"machine", machine.name + ", " + machine.cpu + ", " + std::to_string(machine.cores) + " cores"},
          {"devices", spaced(record.devices, ", ")},
          {"driver", machine.driver.empty() ? "none" : machine.driver + ", CUDA " + machine.cuda_runtime},
          {"compiler", machine.compiler},
          {"commit", commit_text(record.source) + ", version " + record.version},
          {"started", record.started},
          {"policies", pairs_text(record.policies)},
          {"parameters", pairs_text(record.parameters)},
          {"answer", answer_text(record.answer)},
          {"command", spaced(record.command, " ")},
          {"file", one.file}};
}

std::string facts_table(filed_record const& one) {
  std::vector<html_row> rows;
  for (auto const& [name, value] : facts_of(one))
    rows.push_back({html_text(name),
                    name == "command" || name == "file" ? html_element("code", value) : html_text(value)});
  return html_table({"", ""}, rows);
}

std::string samples_table(run_record const& record) {
  std::vector<html_row> rows;
  for (auto const& one : record.series) {
    auto const all = summarise(one.samples);
    rows.push_back({html_text(one.name), html_text(one.unit), rounded(all.median),
                    rounded(all.lower_quartile), rounded(all.upper_quartile), std::to_string(all.count)});
  }
  return html_table({"series", "unit", "median", "lower quartile", "upper quartile", "samples"}, rows);
}

std::string derived_table(run_record const& record) {
  if (record.derived.empty()) return {};
  std::vector<html_row> rows;
  for (auto const& [name, value] : record.derived) rows.push_back({html_text(name), html_text(value.text())});
  return html_table({"derived", "value"}, rows);
}

std::string options_of(std::set<std::string> const& values) {
  std::string text = "<option value=\"\">all</option>";
  for (auto const& value : values)
    text += "<option value=\"" + html_text(value) + "\">" + html_text(value) + "</option>";
  return text;
}

/// The values by which sections are filtered; the script below compares them.
struct filter_values {
  std::string name, device, commit;
};

filter_values filters_of(run_record const& record) {
  return {record.benchmark, record.machine.name + ": " + spaced(record.devices, ", "),
          commit_text(record.source)};
}

std::string filter_bar(record_folder const& folder) {
  std::set<std::string> devices, commits;
  for (auto const& one : folder.records) {
    devices.insert(filters_of(one.record).device);
    commits.insert(filters_of(one.record).commit);
  }
  return "<div class=\"filters\">\n<label>name <input id=\"by_name\" type=\"search\"/></label>\n"
         "<label>device <select id=\"by_device\">" +
         options_of(devices) + "</select></label>\n<label>commit <select id=\"by_commit\">" +
         options_of(commits) + "</select></label>\n<span id=\"shown\" class=\"quiet\"></span>\n</div>\n";
}

/// Without <, > and &, so that the page stays well formed.
constexpr std::string_view filter_script = R"(
(function () {
  var name = document.getElementById("by_name"), device = document.getElementById("by_device");
  var commit = document.getElementById("by_commit"), shown = document.getElementById("shown");
  var all = Array.prototype.slice.call(document.querySelectorAll("[data-name]"));
  function fits(one) {
    var wanted = name.value.trim().toLowerCase();
    if (one.dataset.name.toLowerCase().indexOf(wanted) === -1) { return false; }
    if (device.value ? one.dataset.device !== device.value : false) { return false; }
    return commit.value ? one.dataset.commit === commit.value : true;
  }
  function filter() {
    var count = 0;
    all.forEach(function (one) {
      var is_shown = fits(one);
      one.hidden = !is_shown;
      if (is_shown) { count += one.tagName === "SECTION" ? 1 : 0; }
    });
    shown.textContent = count + " shown";
  }
  [name, device, commit].forEach(function (control) { control.addEventListener("input", filter); });
  filter();
})();
)";

std::string attributes_of(run_record const& record) {
  auto const values = filters_of(record);
  return " data-name=\"" + html_text(values.name) + "\" data-device=\"" + html_text(values.device) +
         "\" data-commit=\"" + html_text(values.commit) + "\"";
}

std::string record_section(filed_record const& one, std::size_t number,
                           std::vector<std::string>& complaints) {
  return fmt::format("<section id=\"record-{}\"{}>\n", number, attributes_of(one.record)) +
         html_element("h2", one.record.benchmark) + "\n" + record_as_html(one, nullptr, complaints) +
         "</section>\n";
}

std::string contents_of(record_folder const& folder) {
  std::string rows;
  for (std::size_t i = 0; i < folder.records.size(); ++i) {
    auto const& record = folder.records[i].record;
    rows += fmt::format(
        "<tr{}><td><a href=\"#record-{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        attributes_of(record), i, html_text(record.benchmark), html_text(filters_of(record).device),
        html_text(commit_text(record.source)), html_text(record.started));
  }
  return "<table>\n<thead><tr><th>benchmark</th><th>machine: devices</th><th>commit</th><th>started</th></tr>"
         "</thead>\n<tbody>" +
         rows + "</tbody>\n</table>\n";
}

std::string list_of(std::string_view heading, std::vector<std::string> const& all) {
  if (all.empty()) return {};
  std::string text = html_element("h2", heading) + "\n<ul>\n";
  for (auto const& one : all) text += html_element("li", one) + "\n";
  return text + "</ul>\n";
}

}  // namespace

std::string picture_as_html(std::string const& name, std::span<run_record const> records,
                            plot_heading const* heading, std::vector<std::string>& complaints) {
  try {
    auto const script = heading == nullptr ? plot_script(records) : plot_script(records, *heading);
    return html_picture(picture_of(script), "picture of " + name);
  } catch (error const& problem) {
    complaints.push_back(name + ": " + problem.what());
    return "<p class=\"warning\">" + html_text(std::string("There is no picture: ") + problem.what()) +
           "</p>\n";
  }
}

std::string record_as_html(filed_record const& one, run_record const* published,
                           std::vector<std::string>& complaints) {
  std::vector<run_record> drawn{one.record};
  auto heading = heading_of(drawn);
  if (published != nullptr) {
    drawn.push_back(*published);
    heading.labels = {"ours", "published"};
  }
  return picture_as_html(one.file, drawn, &heading, complaints) + facts_table(one) +
         fmt::format("<details>\n<summary>{} series</summary>\n", one.record.series.size()) +
         samples_table(one.record) + derived_table(one.record) + "</details>\n";
}

drawn_page page_of_records(std::string const& title, record_folder const& folder) {
  drawn_page page;
  std::string body = html_element("h1", title) + "\n";
  body += fmt::format("<p class=\"quiet\">{} records, {} files that are broken, {} of other forms.</p>\n",
                      folder.records.size(), folder.broken.size(), folder.others.size());
  std::vector<std::string> broken;
  for (auto const& one : folder.broken) broken.push_back(one.why);
  body += filter_bar(folder) + list_of("Broken records", broken) + contents_of(folder);
  for (std::size_t i = 0; i < folder.records.size(); ++i)
    body += record_section(folder.records[i], i, page.complaints);
  body += list_of("Files of other forms, which are not shown", folder.others);
  page.html = html_page(title, body, filter_script);
  return page;
}

}  // namespace ballast
