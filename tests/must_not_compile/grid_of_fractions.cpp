// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to | no matching conversion for functional-style cast from

#include "ballast/access_map.hpp"

namespace grid_of_fractions {

ballast::job_grid made() {
#ifdef CORRECTED
  return ballast::job_grid(2);
#else
  return ballast::job_grid(1.5);
#endif
}

}
