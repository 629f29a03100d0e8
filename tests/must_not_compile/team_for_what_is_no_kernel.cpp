// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to

#include <string>
#include "ballast/team_block.hpp"

namespace team_for_what_is_no_kernel {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  char name[8];
#else
  std::string name;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
void run() { ballast::run_with_team<2>(mine(), {}); }

}
