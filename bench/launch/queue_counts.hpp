// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/launch_queue.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// Writes into the record, as figures derived for `curve` (or one point of it), what a queue did since
/// `before`, warm-up included: each count that is not 0; and how far its first device's predictions were off
/// since the queue was made, if it made any.
void record_queue(session& now, std::string const& curve, launch_statistics const& did,
                  launch_statistics const& before = {});

}  // namespace ballast::bench
