// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to | no matching conversion for functional-style cast from

#include "ballast/access_map.hpp"

namespace access_map_that_returns_no_region {

ballast::access_map made() {
#ifdef CORRECTED
  return ballast::access_map([](ballast::map_view const&) { return ballast::region(); });
#else
  return ballast::access_map([](ballast::map_view const&) { return 1; });
#endif
}

}
