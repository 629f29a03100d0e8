// SPDX-License-Identifier: Apache-2.0
#include "device/held_multiprocessors.hpp"

#include <algorithm>
#include <string>

#include "ballast/error.hpp"
#include "device/tile_kernels.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

held_multiprocessors::held_multiprocessors(std::shared_ptr<compute_device> const& device, std::uint32_t most)
    : shared_bytes_(all_shared_bytes(device->spec().index)),
      started_(device, most),
      words_(device, 2),
      release_(device, 1),
      held_(device->make_priority_stream()),
      copies_(device->make_stream()) {
  words_[0] = 0;
  words_[1] = 1;
}

double held_multiprocessors::take(std::uint32_t count, std::uint64_t nanoseconds, std::uint32_t lookers) {
  if (count == 0) return 0;
  std::ranges::fill(started_.span(), 0u);
  set_release(0);
  return seconds_of([&] { launch(count, nanoseconds, lookers); });
}

void held_multiprocessors::release() {
  set_release(1);
  held_->synchronize(soon());
}

void held_multiprocessors::set_release(std::size_t value) {
  copies_->copy(release_.data(), &words_[value], sizeof words_[value]);
  copies_->synchronize(soon());
}

void held_multiprocessors::launch(std::uint32_t count, std::uint64_t nanoseconds, std::uint32_t lookers) {
  auto *started = started_.data(), *release = release_.data();
  void* const arguments[] = {&started, &release, &nanoseconds, &lookers};
  held_->launch_plain({hold_function(), {count, 32, shared_bytes_}, arguments, "hold_multiprocessors"});
  auto const until = soon();
  while (!all_began(count))
    if (until.passed()) throw timed_out("a kernel of whole SMs", std::to_string(count) + " blocks");
}

bool held_multiprocessors::all_began(std::uint32_t count) const {
  std::uint32_t const volatile* const started = started_.data();
  for (std::uint32_t i = 0; i < count; ++i)
    if (started[i] == 0) return false;
  return true;
}

}  // namespace ballast::bench
