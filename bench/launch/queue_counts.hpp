// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/launch_queue.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// Records, as derived figures of `curve` (or one point of it), a queue's counts since `before`, including
/// warm-up, that are not 0; and the errors of its first device's predictions since the queue was made, if it
/// made any.
void record_queue(session& now, std::string const& curve, launch_statistics const& did,
                  launch_statistics const& before = {});

}  // namespace ballast::bench
