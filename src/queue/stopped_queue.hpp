// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast::detail {

/// `stopped` with the reason as a separate text, for a caller that feeds several queues and knows of more
/// tasks.
class stopped_run final : public stopped {
 public:
  stopped_run(std::string const& what, std::uint64_t unfinished, std::string_view reason)
      : stopped(what, unfinished), reason_(reason) {}
  std::string const& reason() const noexcept { return reason_; }

 private:
  std::string reason_;
};

/// The error of a batch from which cancel() took tasks. wait_all() does not throw it, since the caller of
/// cancel() has these tasks.
class cancelled_batch final : public stopped {
 public:
  explicit cancelled_batch(std::uint64_t tasks)
      : stopped(counted(tasks, "task") + " of the batch not executed: returned by cancel()", tasks) {}
};

/// The error of a queue whose kernel on `device` ended with `unfinished` accepted tasks not known to have
/// run.
inline stopped_run stopped_queue(std::string_view device, std::uint64_t unfinished, std::string_view why) {
  return {"the resident kernel on " + std::string(device) + " ended (" + std::string(why) + ") with up to " +
              counted(unfinished, "accepted task") + " not executed; stop() hands back all but graphs",
          unfinished, why};
}

}  // namespace ballast::detail
