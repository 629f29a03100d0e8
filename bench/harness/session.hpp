// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"
#include "report/run_record.hpp"

namespace ballast::bench {

/// Wall-clock seconds of one call.
template <class Work>
double seconds_of(Work&& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One run of one benchmark: the devices and sizes that it may use, and the record that it fills. One thread.
class session {
 public:
  using listener = std::function<void(sample_series const&)>;

  /// `on_series` is called with every new series, and `stop_requested` before each sample; either may be
  /// empty.
  session(std::string_view benchmark, device_list devices, bool quick, listener on_series = {},
          std::function<bool()> stop_requested = {});

  device_list const& devices() const { return devices_; }
  std::shared_ptr<compute_device> const& first() const { return devices_.front(); }
  /// The numbers of devices for a curve over devices: 1, 2, 4 ... and all.
  std::vector<std::size_t> device_counts() const;
  /// The first `count` devices: 1 to all of them.
  device_list first_devices(std::size_t count) const;
  /// The first other GPU of the list whose memory the first device's kernels can address, else null.
  std::shared_ptr<compute_device> peer_of_first() const;
  /// True in a short run, which shows that the benchmark works, not what the machine can do.
  bool quick() const { return quick_; }
  /// `full`, or in a quick run the smaller number.
  std::size_t size(std::size_t full, std::size_t in_quick) const { return quick_ ? in_quick : full; }

  /// Calls `sample`, which returns one measured value, for a point of a curve (x finite): `warm_up` times
  /// unrecorded, then `repetitions` times.
  void measure(std::string const& curve, double x, std::string const& unit,
               std::function<double()> const& sample);
  /// The same for a figure outside all curves.
  void measure(std::string const& name, std::string const& unit, std::function<double()> const& sample);
  /// Sets how often measure() calls `sample`. Call it before the first measure().
  void repeat(std::size_t warm_up, std::size_t repetitions);
  /// Takes samples like measure(), with other numbers of calls, for callers that add the values themselves.
  /// Throws ballast::error if the user stops it.
  std::vector<double> samples(std::size_t warm_up, std::size_t repetitions,
                              std::function<double()> const& sample) const;
  /// Adds samples that were taken together with others, or in another way.
  void add(std::string const& curve, double x, std::string const& unit, std::vector<double> samples);
  void add(std::string const& name, std::string const& unit, std::vector<double> samples);
  /// The median of a curve's point, or of a stand-alone series (x left out), added before. Throws
  /// ballast::error if there is none.
  double median_of(std::string const& curve, double x) const;
  double median_of(std::string const& name) const;

  void axes(std::string title, std::string x_label, std::string y_label, bool x_log = false,
            bool y_log = false);
  void policy(std::string const& decision, std::string const& name);
  void parameter(std::string const& name, json_value value);
  void derived(std::string const& name, double value);
  /// Records a check of an answer. The record is verified if there was a check and none failed.
  void verify(bool right, std::string const& how);

  run_record const& record() const { return record_; }

 private:
  void record_connections();
  void keep(sample_series series);
  double median_of_series(std::string const& name) const;

  device_list devices_;
  bool quick_;
  listener on_series_;
  std::function<bool()> stop_requested_;
  run_record record_;
};

}  // namespace ballast::bench
