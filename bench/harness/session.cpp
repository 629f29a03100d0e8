// SPDX-License-Identifier: Apache-2.0
#include "harness/session.hpp"

#include <algorithm>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "harness/begin_record.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

/// The name of a curve's point: "batches@64".
std::string name_of_point(std::string const& curve, double x) {
  auto text = std::to_string(x);
  if (text.find('.') != text.npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return curve + "@" + text;
}

}  // namespace

session::session(std::string_view benchmark, device_list devices, bool quick, listener on_series,
                 std::function<bool()> stop_requested)
    : devices_(std::move(devices)),
      quick_(quick),
      on_series_(std::move(on_series)),
      stop_requested_(std::move(stop_requested)) {
  if (devices_.empty()) throw_bad_argument("devices", "an empty list", "at least one device");
  record_ = begin_record(std::string(benchmark), devices_);
  record_.parameters.emplace_back("quick", quick_);
  record_connections();
  repeat(1, quick_ ? 3 : 9);
}

std::vector<std::size_t> session::device_counts() const {
  std::vector<std::size_t> counts;
  for (std::size_t n = 1; n < devices_.size(); n *= 2) counts.push_back(n);
  counts.push_back(devices_.size());
  return counts;
}

device_list session::first_devices(std::size_t count) const {
  return {devices_.begin(), devices_.begin() + std::ptrdiff_t(count)};
}

std::shared_ptr<compute_device> session::peer_of_first() const {
  if (!first()->is_cuda()) return nullptr;
  for (auto const& other : one_of_each_gpu(devices_))
    if (other != first() && first()->enable_peer_access(*other)) return other;
  return nullptr;
}

/// Records the number of hardware connections: results with another number belong to another setting.
void session::record_connections() {
  auto const now = process_connections();
  bool const on_gpu = std::ranges::any_of(devices_, [](auto const& device) { return device->is_cuda(); });
  if (on_gpu || now.from_environment) record_.parameters.emplace_back("hardware_connections", now.count);
}

void session::repeat(std::size_t warm_up, std::size_t repetitions) {
  if (repetitions < 1) throw_bad_argument("repetitions", repetitions, "1 or more");
  record_.warm_up = warm_up;
  record_.repetitions = repetitions;
}

std::vector<double> session::samples(std::size_t warm_up, std::size_t repetitions,
                                     std::function<double()> const& sample) const {
  std::vector<double> samples;
  for (std::size_t i = 0; i < warm_up + repetitions; ++i) {
    if (stop_requested_ && stop_requested_()) throw error("stopped before everything was measured");
    auto const value = sample();
    if (i >= warm_up) samples.push_back(value);
  }
  return samples;
}

void session::measure(std::string const& curve, double x, std::string const& unit,
                      std::function<double()> const& sample) {
  add(curve, x, unit, samples(record_.warm_up, record_.repetitions, sample));
}

void session::measure(std::string const& name, std::string const& unit,
                      std::function<double()> const& sample) {
  add(name, unit, samples(record_.warm_up, record_.repetitions, sample));
}

void session::add(std::string const& curve, double x, std::string const& unit, std::vector<double> samples) {
  keep({name_of_point(curve, x), unit, std::move(samples), curve, x});
}

void session::add(std::string const& name, std::string const& unit, std::vector<double> samples) {
  keep({name, unit, std::move(samples), {}, {}});
}

void session::keep(sample_series series) {
  record_.series.push_back(std::move(series));
  if (on_series_) on_series_(record_.series.back());
}

double session::median_of(std::string const& curve, double x) const {
  return median_of_series(name_of_point(curve, x));
}
double session::median_of(std::string const& name) const { return median_of_series(name); }

double session::median_of_series(std::string const& name) const {
  auto const found = std::ranges::find(record_.series, name, &sample_series::name);
  if (found == record_.series.end()) throw error("the benchmark has no series " + name);
  return median(found->samples);
}

void session::axes(std::string title, std::string x_label, std::string y_label, bool x_log, bool y_log) {
  record_.axes = {std::move(title), std::move(x_label), std::move(y_label), x_log, y_log};
}

void session::policy(std::string const& decision, std::string const& name) {
  record_.policies.emplace_back(decision, name);
}

void session::parameter(std::string const& name, json_value value) {
  record_.parameters.emplace_back(name, std::move(value));
}

void session::derived(std::string const& name, double value) { record_.derived.emplace_back(name, value); }

void session::verify(bool right, std::string const& how) {
  bool const before = record_.answer.how.empty() || record_.answer.verified;
  record_.answer.verified = before && right;
  if (record_.answer.how.find(how) != std::string::npos) return;
  record_.answer.how += (record_.answer.how.empty() ? "" : "; ") + how;
}

}  // namespace ballast::bench
