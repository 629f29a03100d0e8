// SPDX-License-Identifier: Apache-2.0
#include "device_listing.hpp"

#include <fmt/format.h>

#include "report/provenance.hpp"

namespace ballast::cli {
namespace {

std::string capability(device_properties const& facts) {
  return facts.compute_major > 0 ? fmt::format("{}.{}", facts.compute_major, facts.compute_minor) : "";
}

std::string described(device_costs const& costs) {
  return costs.measured_on.empty() ? costs.name() : "calibrated " + costs.measured_on;
}

table device_table(device_list const& devices) {
  table rows({{"device", alignment::left},
              {"backend", alignment::left},
              {"SMs/cores"},
              {"memory"},
              {"capability"},
              {"costs", alignment::left},
              {"model", alignment::left}});
  for (auto const& device : devices) {
    device_properties const& facts = device->properties();
    rows.add_row({device->name(), device->is_cuda() ? "cuda" : "host", std::to_string(facts.multiprocessors),
                  byte_size(facts.memory_bytes), capability(facts), described(device->costs()), facts.model});
  }
  return rows;
}

/// One row per source place, one column per target place; the diagonal is a copy within a place.
template <class Figure>
table link_table(link_matrix const& links, Figure figure) {
  std::vector<table_column> columns = {{"from \\ to", alignment::left}};
  for (std::string const& place : links.places) columns.push_back({place});
  table rows(columns);
  for (std::size_t from = 0; from < links.places.size(); ++from) {
    std::vector<std::string> cells = {links.places[from]};
    for (std::size_t to = 0; to < links.places.size(); ++to) cells.push_back(figure(links.between(from, to)));
    rows.add_row(cells);
  }
  return rows;
}

std::string mark(link const& one) { return one.direct ? "*" : " "; }

std::string links_text(link_matrix const& links, charset drawn_with) {
  auto const rate = [](link const& one) { return rounded(one.gigabytes_per_second, 3) + mark(one); };
  auto const delay = [](link const& one) { return rounded(one.microseconds, 3) + mark(one); };
  return fmt::format(
      "\nCopies, GB/s (* direct: kernels there can address the memory it comes from)\n{}"
      "\nA copy of 8 bytes until complete, microseconds\n{}",
      link_table(links, rate).text(drawn_with), link_table(links, delay).text(drawn_with));
}

json_value device_as_json(compute_device const& device) {
  device_properties const& facts = device.properties();
  std::string const compute = capability(facts);
  auto const version = [](int number) {
    std::string const text = cuda_version_text(number);
    return text.empty() ? json_value() : json_value(text);
  };
  return json_value::object{{"name", device.name()},
                            {"backend", device.is_cuda() ? "cuda" : "host"},
                            {"model", facts.model},
                            {"multiprocessors", facts.multiprocessors},
                            {"memory_bytes", facts.memory_bytes},
                            {"compute_capability", compute.empty() ? json_value() : json_value(compute)},
                            {"cuda_driver", version(facts.driver_version)},
                            {"cuda_runtime", version(facts.runtime_version)},
                            {"pinned_to_cores", facts.pinned_to_cores},
                            {"slowdown", device.spec().slowdown},
                            {"costs", device.costs().name()}};
}

template <class Figure>
json_value rows_of(link_matrix const& links, Figure figure) {
  json_value::list rows;
  for (std::size_t from = 0; from < links.places.size(); ++from) {
    json_value::list row;
    for (std::size_t to = 0; to < links.places.size(); ++to) row.push_back(figure(links.between(from, to)));
    rows.push_back(row);
  }
  return rows;
}

json_value links_as_json(link_matrix const& links) {
  return json_value::object{
      {"places", json_value::list_of(links.places)},
      {"gigabytes_per_second", rows_of(links, [](link const& one) { return one.gigabytes_per_second; })},
      {"microseconds", rows_of(links, [](link const& one) { return one.microseconds; })},
      {"direct", rows_of(links, [](link const& one) { return one.direct; })}};
}

double value_of(device_costs const& costs, std::string_view name) {
  for (auto const& cost : costs.listed())
    if (cost.name == name) return cost.value;
  return 0;
}

json_value costs_as_json(device_costs const& costs) {
  json_value::object all;
  for (auto const& [name, value] : costs.listed()) all.emplace_back(name, value);
  return all;
}

}  // namespace

std::string calibration_as_text(std::vector<calibrated_device> const& calibrated, charset drawn_with) {
  std::vector<table_column> columns = {{"cost", alignment::left}};
  for (auto const& one : calibrated) columns.push_back({one.device->name()});
  table rows(columns);
  for (auto const& [name, unused] : default_costs(backend::cuda).listed()) {
    std::vector<std::string> cells = {std::string(name)};
    for (auto const& one : calibrated) {
      auto const value = value_of(one.costs, name);
      cells.push_back(value > 0 ? rounded(value) : "-");
    }
    rows.add_row(cells);
  }
  return rows.text(drawn_with) + "\nkept in " + costs_path() + "\n";
}

json_value calibration_as_json(std::vector<calibrated_device> const& calibrated) {
  json_value::list all;
  for (auto const& one : calibrated)
    all.push_back(json_value::object{{"name", one.device->name()},
                                     {"calibrated", one.costs.measured_on},
                                     {"costs", costs_as_json(one.costs)}});
  return json_value::object{{"file", costs_path()}, {"devices", all}};
}

std::string listing_as_text(device_list const& devices, std::optional<link_matrix> const& links,
                            charset drawn_with) {
  std::string const text = device_table(devices).text(drawn_with);
  return links ? text + links_text(*links, drawn_with) : text;
}

json_value listing_as_json(device_list const& devices, std::optional<link_matrix> const& links) {
  json_value::list all;
  for (auto const& device : devices) all.push_back(device_as_json(*device));
  return json_value::object{{"devices", all}, {"links", links ? links_as_json(*links) : json_value()}};
}

}  // namespace ballast::cli
