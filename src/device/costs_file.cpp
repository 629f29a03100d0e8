// SPDX-License-Identifier: Apache-2.0
#include "costs_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "device_choice.hpp"

namespace ballast {

using namespace detail;
namespace {

namespace fs = std::filesystem;

constexpr std::string_view costs_form = "ballast-costs ";
constexpr std::string_view costs_version = "2";
constexpr std::size_t max_file_bytes = std::size_t(1) << 20;
constexpr double max_cost = 1e12;

struct cost_member {
  std::string_view name;
  double device_costs::*value;
};
constexpr std::array cost_members{cost_member{"launch_ns", &device_costs::launch_ns},
                                  cost_member{"merged_launch_ns", &device_costs::merged_launch_ns},
                                  cost_member{"start_ns", &device_costs::start_ns},
                                  cost_member{"shortest_kernel_ns", &device_costs::shortest_kernel_ns},
                                  cost_member{"build_graph_ns", &device_costs::build_graph_ns},
                                  cost_member{"build_launch_ns", &device_costs::build_launch_ns},
                                  cost_member{"launch_graph_ns", &device_costs::launch_graph_ns},
                                  cost_member{"copy_ns", &device_costs::copy_ns},
                                  cost_member{"host_bytes_per_ns", &device_costs::host_bytes_per_ns},
                                  cost_member{"peer_bytes_per_ns", &device_costs::peer_bytes_per_ns}};

bool is_legal_cost(double cost) { return cost > 0 && cost <= max_cost; }

bool is_day(std::string_view text) {
  constexpr std::string_view like = "dddd-dd-dd";
  return std::ranges::equal(text, like, [](char sign, char wanted) {
    return wanted == '-' ? sign == '-' : sign >= '0' && sign <= '9';
  });
}

/// Takes the text before the first space and leaves the rest.
std::string_view take_word(std::string_view& line) {
  auto const word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

device_costs defaults_of(costs_key const& key) {
  return default_costs(key.is_of_cores() ? backend::host : backend::cuda);
}

class costs_reader {
 public:
  explicit costs_reader(std::string_view text) : left_(without_byte_order_mark(text)) {}

  std::vector<kept_costs> read() {
    check_form();
    for (;;) {
      auto line = next_line();
      if (line == "end") break;
      auto const word = take_word(line);
      word == "device" ? begin_device(line) : add(word, line);
    }
    if (!left_.empty()) refuse("more after the end");
    return std::move(all_);
  }

 private:
  [[noreturn]] void refuse(std::string const& what) const {
    throw error("line " + std::to_string(line_) + ": " + what);
  }

  std::string_view next_line() {
    ++line_;
    auto const end = left_.find('\n');
    if (end == left_.npos) refuse("the text is cut off");
    auto const line = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return line;
  }

  void check_form() {
    auto line = next_line();
    if (!line.starts_with(costs_form)) refuse("these are no costs");
    line.remove_prefix(costs_form.size());
    if (line != costs_version)
      refuse("costs of version " + escape_control_characters(line) + ", not " + std::string(costs_version));
  }

  void begin_device(std::string_view line) {
    auto const device = take_word(line);
    auto const version = number_in<int>(take_word(line));
    if (device.empty() || !version || line.empty()) refuse("no device");
    costs_key key{std::string(device), *version, std::string(line)};
    if (std::ranges::find(all_, key, &kept_costs::key) != all_.end()) refuse("a device for the second time");
    all_.push_back({key, defaults_of(key)});
    seen_.clear();
    take_day();
  }

  void take_day() {
    auto line = next_line();
    if (take_word(line) != "measured" || !is_day(line)) refuse("no day of measurement");
    all_.back().costs.measured_on = line;
  }

  void add(std::string_view name, std::string_view value) {
    auto const member = std::ranges::find(cost_members, name, &cost_member::name);
    auto const cost = number_in<double>(value);
    bool const is_known = member != cost_members.end() && !all_.empty();
    if (!is_known || !cost || !is_legal_cost(*cost)) refuse("no cost of a device");
    if (!seen_.insert(name).second) refuse("a cost for the second time");
    all_.back().costs.*member->value = *cost;
  }

  std::string_view left_;
  int line_ = 0;
  std::vector<kept_costs> all_;
  std::set<std::string_view> seen_;  ///< the costs read for the last device
};

int cores_of_machine() { return int(std::max(1L, sysconf(_SC_NPROCESSORS_CONF))); }

/// Reads a file; returns nothing if there is no such file. Throws error.
std::optional<std::string> content_of(std::string const& path) {
  std::error_code cause;
  auto const status = fs::status(path, cause);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (cause) throw error(cause.message());
  if (!fs::is_regular_file(status)) throw error("it is no file");
  std::ifstream in(path, std::ios::binary);
  std::string text(max_file_bytes + 1, '\0');
  if (!in || !in.read(text.data(), std::streamsize(text.size())).eof())
    throw error(in ? "it is too large" : "it cannot be read");
  text.resize(std::size_t(in.gcount()));
  return text;
}

std::vector<kept_costs> read_costs(std::string const& path) {
  auto const text = path.empty() ? std::nullopt : content_of(path);
  return text ? parse_costs(*text) : std::vector<kept_costs>();
}

/// Reads the costs in the file; none if it cannot be read or is malformed, since it then holds nothing worth
/// keeping.
std::vector<kept_costs> readable_costs(std::string const& path) {
  try {
    return read_costs(path);
  } catch (error const&) { return {}; }
}

void check_costs(device_costs const& costs) {
  for (auto const& [name, value] : cost_members)
    if (costs.*value != 0 && !is_legal_cost(costs.*value))
      throw_bad_argument("costs", std::string(name) + " " + std::to_string(costs.*value), "above 0 to 1e12");
  if (!is_day(costs.measured_on)) throw_bad_argument("costs", costs.measured_on, "of a day as 2026-11-26");
}

}  // namespace

std::vector<device_costs::named_cost> device_costs::listed() const {
  std::vector<named_cost> all;
  for (auto const& [name, value] : cost_members)
    if (this->*value > 0) all.push_back({name, this->*value});
  return all;
}

device_costs default_costs(backend kind) {
  if (kind == backend::cuda) return {};
  return {.launch_ns = 5000,  // a launch wakes threads, merged or not
          .merged_launch_ns = 5000,
          .start_ns = 5000,
          .shortest_kernel_ns = 0,
          .build_graph_ns = 0,
          .build_launch_ns = 0,
          .launch_graph_ns = 0,
          .host_bytes_per_ns = 10,
          .peer_bytes_per_ns = 10};
}

std::string costs_path() {
  auto const named = environment("XDG_CACHE_HOME");
  if (named && fs::path(*named).is_absolute()) return (fs::path(*named) / "ballast/costs").string();
  auto const home = environment("HOME");
  return home ? (fs::path(*home) / ".cache/ballast/costs").string() : std::string();
}

void save_costs(std::span<calibrated_device const> calibrated) {
  for (auto const& one : calibrated) check_costs(one.costs);
  auto const path = costs_path();
  if (path.empty()) throw error("costs cannot be kept: XDG_CACHE_HOME and HOME name no folder");
  auto all = readable_costs(path);
  for (auto const& one : calibrated) put_costs(all, {costs_key_of(one.device->properties()), one.costs});
  std::error_code cause;
  fs::create_directories(fs::path(path).parent_path(), cause);
  if (cause) throw error("cannot write " + path + ": " + cause.message());
  replace_file(path, text_of(all));
}

namespace detail {

costs_key costs_key_of(device_properties const& facts) {
  auto const model = escape_control_characters(facts.model);
  if (facts.uuid.empty()) return {"cores", cores_of_machine(), model};
  return {facts.uuid, facts.driver_version, model};
}

std::vector<kept_costs> parse_costs(std::string_view text) { return costs_reader(text).read(); }

std::string text_of(std::vector<kept_costs> const& all) {
  std::ostringstream text;
  text << costs_form << costs_version << '\n';
  for (auto const& [key, costs] : all) {
    text << "device " << key.device << ' ' << key.version << ' ' << key.model << '\n';
    text << "measured " << costs.measured_on << '\n';
    for (auto const& [name, value] : costs.listed()) text << name << ' ' << shortest(value) << '\n';
  }
  text << "end\n";
  return text.str();
}

void put_costs(std::vector<kept_costs>& all, kept_costs added) {
  std::erase_if(all, [&](kept_costs const& one) {
    return added.key.is_of_cores() ? one.key == added.key : one.key.device == added.key.device;
  });
  all.push_back(std::move(added));
}

found_costs find_costs(std::vector<kept_costs> const& all, costs_key const& key) {
  auto const found = std::ranges::find(all, key, &kept_costs::key);
  if (found != all.end()) return {found->costs, {}};
  auto const same = std::ranges::find(all, key.device, [](auto const& one) { return one.key.device; });
  bool const has_kind = std::ranges::any_of(
      all, [&](kept_costs const& one) { return one.key.is_of_cores() == key.is_of_cores(); });
  if (!has_kind) return {defaults_of(key), {}};
  if (key.is_of_cores()) return {defaults_of(key), "they are of other cores than " + key.model};
  if (same == all.end()) return {defaults_of(key), "they are of other GPUs than " + key.device};
  return {defaults_of(key), "those of " + key.device + " were measured with another driver"};
}

costs_file::costs_file(std::string path) : path_(std::move(path)) {
  try {
    all_ = read_costs(path_);
  } catch (error const& problem) { broken_ = problem.what(); }
}

device_costs costs_file::costs_of(device_properties const& facts) {
  auto found = find_costs(all_, costs_key_of(facts));
  complain(broken_.empty() ? found.complaint : broken_);
  return std::move(found.costs);
}

void costs_file::complain(std::string const& reason) {
  if (reason.empty()) return;
  {
    std::lock_guard const hold(mutex_);
    if (!said_.insert(reason).second) return;
  }
  write_log(log_level::warning, "the costs in " + path_ + " are not used, but defaults: " + reason +
                                    " (`ballast devices --calibrate` measures them)");
}

device_costs costs_on_this_machine(device_properties const& facts) {
  static auto* const file = new costs_file(costs_path());  // never destroyed: devices may be opened until the
                                                           // very end
  return file->costs_of(facts);
}

}  // namespace detail
}  // namespace ballast
