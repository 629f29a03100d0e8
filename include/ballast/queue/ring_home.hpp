// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "ballast/base/error.hpp"
#include "ballast/device/compute_device.hpp"

namespace ballast::inline queue {

/// Where a task_queue keeps its ring: the slots that blocks take tasks from, and the words that say which of
/// them are free (Chen et al. 2010, section 4.2, had to keep them on the device). On a host device every home
/// is the same memory. Cheap to copy.
class ring_home {
 public:
  /// The memory of the queue's device, which its blocks reach fastest.
  static ring_home own_device() { return {}; }
  /// Pinned host memory. On a GPU each look of a waiting block may be a read over the bus, where the server's
  /// reads of the submission rings have to pass too: use few resident blocks.
  static ring_home host() {
    ring_home made;
    made.is_host_ = true;
    return made;
  }
  /// The memory of a device that the queue's device can address (compute_device::reach), which task_queue
  /// asks; it is held until the queue is gone. Making and destroying the queue allocates and frees there,
  /// which may wait for a kernel that is resident on that device. Throws bad_argument ("ring") if null.
  static ring_home peer(std::shared_ptr<compute_device> whose) {
    if (whose == nullptr) throw_bad_argument("ring", "a peer that is null", "a device");
    ring_home made;
    made.peer_ = std::move(whose);
    return made;
  }

  bool is_host() const { return is_host_; }
  /// Null unless made by peer().
  std::shared_ptr<compute_device> const& peer_device() const { return peer_; }

 private:
  ring_home() = default;

  bool is_host_ = false;
  std::shared_ptr<compute_device> peer_;
};

}  // namespace ballast::inline queue
