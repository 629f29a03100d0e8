// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <vector>

#include "access_elements.hpp"
#include "growing_union.hpp"
#include "isl_session.hpp"

namespace ballast::mesicc {

/// What a thread has surely written to an argument when it gets to an access of it. Accesses come in the
/// order of the kernel, and no loop comes again that was left.
class own_writes {
 public:
  explicit own_writes(isl_session const& session);

  void add(access_elements const& write);
  /// Whether `read` reads only what the thread has written before. No for what is not known.
  bool hold(access_elements const& read);

 private:
  /// What was written in a loop's body, by the counters of this loop and those around it.
  struct within_loop {
    int loop;
    growing_union written;
  };

  void go_to(std::vector<int> const& loops);
  void leave_loop();
  isl::set all() const;

  isl_session const& session_;
  std::vector<within_loop> around_;  ///< the innermost one last; the first one is the whole kernel
};

}  // namespace ballast::mesicc
