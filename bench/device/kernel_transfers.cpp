// SPDX-License-Identifier: Apache-2.0
#include "device/kernels.cuh"
#include "device/transfers.hpp"

namespace ballast::bench {
namespace {

/// A path, and whether the kernel writes to its far end, in which case a fence ends the transfer, or reads
/// from it.
struct kernel_path {
  transfer_path path;
  bool written;
};

class kernel_transfers {
 public:
  explicit kernel_transfers(session& now)
      : now_(&now),
        stream_(now.first()->make_stream()),
        rounds_(now.first(), transfers_of_a_point(now)),
        seen_(now.first(), transfers_of_a_point(now)) {}

  void measure(transfer_memory& memory, kernel_path const& way, std::uint32_t lanes) {
    auto const curve = way.path.name + (lanes == 1 ? ", one thread" : ", one warp");
    for (auto const bytes : transfer_sizes(*now_)) {
      memory.prepare(way.path);
      auto const scale = seconds_per_tick(now_->first());
      run(way, lanes, bytes);
      std::vector<double> seconds;
      for (auto const ticks : seen_.span()) seconds.push_back(double(ticks) * scale);
      now_->verify(memory.arrived(way.path, bytes),
                   "the bytes of each point's transfers arrived, and no others");
      record_transfers(*now_, curve, bytes, std::move(seconds));
    }
  }

 private:
  void run(kernel_path const& way, std::uint32_t lanes, std::size_t bytes) {
    start(*stream_, 1,
          copy_words{array_ref<std::uint64_t>(way.path.to), array_ref<std::uint64_t>(way.path.from),
                     array_ref<std::uint64_t>(rounds_.data()), std::uint32_t(bytes / sizeof(std::uint64_t)),
                     lanes, std::uint32_t(rounds_.size()), way.written});
    stream_->copy(seen_.data(), rounds_.data(), seen_.bytes());
    stream_->synchronize(soon());
  }

  session* now_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint64_t> rounds_;
  pinned_buffer<std::uint64_t> seen_;
};

}  // namespace

void measure_kernel_transfers(session& now, transfer_memory& memory, bool with_peer) {
  now.parameter("words_of_8_bytes_in_flight_per_thread", copy_words::in_flight);
  std::vector<kernel_path> paths = {{memory.to_device("to device: pinned memory read"), false},
                                    {memory.to_host("to host: pinned memory written"), true}};
  if (with_peer) paths.push_back({memory.to_peer("to peer: its memory written"), true});
  if (with_peer) paths.push_back({memory.from_peer("from peer: its memory read"), false});
  kernel_transfers kernels(now);
  for (auto const& path : paths) {
    kernels.measure(memory, path, 1);
    if (now.first()->is_cuda()) kernels.measure(memory, path, copy_words::threads);
  }
}

}  // namespace ballast::bench
