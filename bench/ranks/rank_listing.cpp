// SPDX-License-Identifier: Apache-2.0
#include "ranks/rank_listing.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"

namespace ballast::bench {
namespace {

struct listed_device {
  std::string name;
  std::uint32_t multiprocessors = 0;
  std::string uuid;  ///< "-" on the host
};

struct listed_rank {
  std::string host = {};
  std::uint32_t cores = 0, all_cores = 0;
  std::vector<listed_device> devices = {};
  std::string refused = {};
};

listed_rank read(std::string const& said) {
  listed_rank rank;
  std::istringstream lines(said);
  lines >> rank.host >> rank.cores >> rank.all_cores >> std::ws;
  if (lines.peek() == '!') std::getline(lines.ignore(), rank.refused);
  for (listed_device one; lines >> one.name >> one.multiprocessors >> one.uuid;) rank.devices.push_back(one);
  return rank;
}

std::string text_of(listed_rank const& rank) {
  if (!rank.refused.empty()) return rank.refused;
  std::string text;
  for (auto const& one : rank.devices)
    text += (text.empty() ? "" : ", ") + one.name + " (" + std::to_string(one.multiprocessors) + ")";
  return text;
}

}  // namespace

std::string describe_rank(std::string const& devices) {
  char host[256] = "?";
  gethostname(host, sizeof host - 1);
  auto const cores = cores_of_process();
  std::ostringstream text;
  text << host << ' ' << cores.usable << ' ' << cores.all << '\n';
  try {
    for (auto const& device : open_devices(devices)) {
      auto const& facts = device->properties();
      text << device->name() << ' ' << facts.multiprocessors << ' ' << (facts.uuid.empty() ? "-" : facts.uuid)
           << '\n';
    }
  } catch (error const& why) { text << '!' << escape_control_characters(why.what()) << '\n'; }
  return text.str();
}

std::string listing_as_text(std::vector<std::optional<std::string>> const& ranks, charset drawn_with) {
  table rows({{"rank"}, {"host", alignment::left}, {"cores"}, {"devices (SMs or cores)", alignment::left}});
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    auto const rank = read(ranks[i].value_or("? 0 0\n!does not answer\n"));
    rows.add_row({std::to_string(i), rank.host,
                  std::to_string(rank.cores) + " of " + std::to_string(rank.all_cores), text_of(rank)});
  }
  return rows.text(drawn_with);
}

json_value listing_as_json(std::vector<std::optional<std::string>> const& ranks) {
  json_value::list all;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i]) {
      all.push_back(json_value::object{{"rank", i}, {"lost", true}});
      continue;
    }
    auto const rank = read(*ranks[i]);
    json_value::list devices;
    for (auto const& one : rank.devices)
      devices.push_back(json_value::object{{"name", one.name},
                                           {"multiprocessors", one.multiprocessors},
                                           {"uuid", one.uuid == "-" ? json_value() : json_value(one.uuid)}});
    all.push_back(
        json_value::object{{"rank", i},
                           {"lost", false},
                           {"host", rank.host},
                           {"cores", rank.cores},
                           {"all_cores", rank.all_cores},
                           {"devices", devices},
                           {"error", rank.refused.empty() ? json_value() : json_value(rank.refused)}});
  }
  return json_value::object{{"ranks", all}};
}

}  // namespace ballast::bench
