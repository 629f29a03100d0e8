// SPDX-License-Identifier: Apache-2.0
#include "link_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "ballast/stream.hpp"

namespace ballast {
namespace {

// One end of a link. Place 0 has a device too, which allocated its pinned memory.
struct place {
  std::shared_ptr<compute_device> device;
  bool is_pinned;
  std::unique_ptr<stream> work;
  device_buffer<unsigned char> on_device[2];
  pinned_buffer<unsigned char> pinned[2];

  unsigned char* source() const { return is_pinned ? pinned[0].data() : on_device[0].data(); }
  unsigned char* target() const { return is_pinned ? pinned[1].data() : on_device[1].data(); }
};

place make_place(std::shared_ptr<compute_device> const& device, bool is_pinned, std::size_t bytes) {
  place made{device, is_pinned, device->make_stream(), {}, {}};
  for (int i = 0; i < 2; ++i) {
    if (is_pinned) made.pinned[i] = pinned_buffer<unsigned char>(device, bytes);
    if (!is_pinned) made.on_device[i] = device_buffer<unsigned char>(device, bytes);
  }
  made.work->fill(made.source(), 1, bytes);
  made.work->fill(made.target(), 2, bytes);
  made.work->synchronize();
  return made;
}

std::shared_ptr<compute_device> const& owner_of_pinned(device_list const& devices) {
  auto const gpu = std::ranges::find_if(devices, [](auto const& device) { return device->is_cuda(); });
  return gpu == devices.end() ? devices.front() : *gpu;
}

bool reaches(place const& to, place const& from) {
  if (to.is_pinned) return from.is_pinned || !from.device->is_cuda();
  return from.is_pinned || to.device == from.device || to.device->enable_peer_access(*from.device);
}

double median(std::vector<double> values) {
  auto const middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double nanoseconds_of_copy(stream& on, place const& from, place const& to, std::size_t bytes) {
  auto const begin = on.record();
  on.copy(to.target(), from.source(), bytes);
  auto const end = on.record();
  on.synchronize();
  return std::max(1.0, double(end->since(*begin).count()));
}

double nanoseconds_until_seen(stream& on, place const& from, place const& to, std::size_t bytes) {
  auto const begin = clock::now();
  on.copy(to.target(), from.source(), bytes);
  on.synchronize();
  return std::max(1.0, double(std::chrono::nanoseconds(clock::now() - begin).count()));
}

template <class Measure>
double median_of(int repetitions, Measure measure) {
  measure();
  std::vector<double> values;
  for (int i = 0; i < repetitions; ++i) values.push_back(measure());
  return median(std::move(values));
}

link measure(place const& from, place const& to, std::size_t bytes, int repetitions) {
  // A GPU's engines copy from and to any memory; a host stream reaches host memory only.
  auto& on = *(from.device->is_cuda() && !from.is_pinned ? from : to.device->is_cuda() ? to : from).work;
  auto const bulk = median_of(repetitions, [&] { return nanoseconds_of_copy(on, from, to, bytes); });
  auto const small = median_of(
      repetitions, [&] { return nanoseconds_until_seen(on, from, to, std::min<std::size_t>(bytes, 8)); });
  return {double(bytes) / bulk, small / 1000, reaches(to, from)};
}

}  // namespace

link_matrix measure_links(device_list const& devices, std::size_t bytes, int repetitions) {
  detail::check_devices(devices);
  if (bytes == 0) throw_bad_argument("bytes", bytes, "at least 1");
  if (repetitions < 1) throw_bad_argument("repetitions", repetitions, "at least 1");
  std::vector<place> places;
  places.push_back(make_place(owner_of_pinned(devices), true, bytes));
  for (auto const& device : devices) places.push_back(make_place(device, false, bytes));
  link_matrix matrix{{"host memory"}, {}};
  for (auto const& device : devices) matrix.places.push_back(device->name());
  for (auto const& from : places)
    for (auto const& to : places) matrix.links.push_back(measure(from, to, bytes, repetitions));
  return matrix;
}

}  // namespace ballast
