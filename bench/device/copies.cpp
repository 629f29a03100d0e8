// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>

#include "ballast/error.hpp"
#include "device/default_stream.hpp"
#include "device/transfers.hpp"

namespace ballast::bench {
namespace {

struct copy_method {
  std::string name;
  std::function<void(void*, void const*, std::size_t)> copy;  // returns when the bytes have arrived
};

void copy_until_event(stream& on, void* to, void const* from, std::size_t bytes) {
  auto const until = soon();
  on.copy(to, from, bytes);
  for (auto const done = on.record(); !done->reached();)
    if (until.passed()) throw timed_out("the event after a copy", std::to_string(bytes) + " bytes");
}

void add_default_stream(std::vector<copy_method>& ways, compute_device const& device) {
  auto const zero = std::make_shared<default_stream>(device);
  ways.push_back({"memcpy, stream 0", [=](auto to, auto from, auto bytes) { zero->copy(to, from, bytes); }});
  ways.push_back(
      {"async, stream 0", [=](auto to, auto from, auto bytes) { zero->copy_and_query(to, from, bytes); }});
}

std::vector<copy_method> copy_methods(compute_device const& device, stream& own) {
  std::vector<copy_method> ways;
  if (device.is_cuda()) add_default_stream(ways, device);
  if (!device.is_cuda())
    ways.push_back({"memcpy of the caller", [](auto to, auto from, auto n) { std::memcpy(to, from, n); }});
  ways.push_back({"async, own stream", [&](auto to, auto from, auto bytes) {
                    own.copy(to, from, bytes);
                    own.synchronize(soon());
                  }});
  ways.push_back({"async, own stream, event",
                  [&](auto to, auto from, auto bytes) { copy_until_event(own, to, from, bytes); }});
  return ways;
}

void measure_copy_method(session& now, transfer_memory& memory, copy_method const& way,
                         transfer_path const& path) {
  auto const curve = path.name + ": " + way.name;
  for (auto const bytes : transfer_sizes(now)) {
    memory.prepare(path);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < transfers_of_a_point(now); ++i)
      seconds.push_back(seconds_of([&] { way.copy(path.to, path.from, bytes); }));
    now.verify(memory.arrived(path, bytes), "the bytes of each point's transfers arrived, and no others");
    record_transfers(now, curve, bytes, std::move(seconds));
  }
}

}  // namespace

void measure_copies(session& now, transfer_memory& memory) {
  auto const own = now.first()->make_stream();
  auto const ways = copy_methods(*now.first(), *own);
  for (auto const& path : {memory.to_device("to device"), memory.to_host("to host")})
    for (auto const& way : ways) measure_copy_method(now, memory, way, path);
}

}  // namespace ballast::bench
