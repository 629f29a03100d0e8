// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "ballast/device.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

/// The two ends between which `transfer_memory::words` words move.
struct transfer_path {
  std::string name;
  std::uint64_t *from, *to;
};

/// The memory at the ends of every path, and the check that the data arrived. Allocates.
class transfer_memory {
 public:
  static constexpr std::size_t words = 512;  // 4 KB, the paper's largest transfer

  /// `peer` may be null.
  transfer_memory(std::shared_ptr<compute_device> const& device, std::shared_ptr<compute_device> const& peer)
      : stream_(device->make_stream()),
        sent_(device, words),
        seen_(device, words),
        pinned_(device, words),
        near_(device, words) {
    if (peer != nullptr) far_ = device_buffer<std::uint64_t>(peer, words);
    std::ranges::fill(sent_.span(), 0);
  }

  transfer_path to_device(std::string name) const { return {std::move(name), pinned_.data(), near_.data()}; }
  transfer_path to_host(std::string name) const { return {std::move(name), near_.data(), pinned_.data()}; }
  transfer_path to_peer(std::string name) const { return {std::move(name), near_.data(), far_.data()}; }
  transfer_path from_peer(std::string name) const { return {std::move(name), far_.data(), near_.data()}; }

  /// Writes new numbers at the path's beginning, other ones at its end.
  void prepare(transfer_path const& path) {
    stream_->copy(path.to, sent_.data(), sent_.bytes());
    stream_->synchronize(soon());
    std::iota(sent_.span().begin(), sent_.span().end(), next_ += words);
    stream_->copy(path.from, sent_.data(), sent_.bytes());
    stream_->synchronize(soon());
  }
  /// True if the first `bytes` arrived, and nothing beyond them.
  bool arrived(transfer_path const& path, std::size_t bytes) {
    stream_->copy(seen_.data(), path.to, seen_.bytes());
    stream_->synchronize(soon());
    auto const moved = std::ptrdiff_t(bytes / sizeof(std::uint64_t));
    auto const seen = seen_.span();
    bool const all = std::equal(seen.begin(), seen.begin() + moved, sent_.span().begin());
    return all && std::none_of(seen.begin() + moved, seen.end(), [this](auto word) { return word >= next_; });
  }

 private:
  std::unique_ptr<stream> stream_;
  pinned_buffer<std::uint64_t> sent_, seen_, pinned_;
  device_buffer<std::uint64_t> near_, far_;
  std::uint64_t next_ = std::uint64_t(1) << 40;
};

}  // namespace ballast::bench
