// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "md/atoms.hpp"

namespace ballast::bench {

/// A balanced system: 2^doublings helium atoms on a cubic lattice of 4 Angstrom, which fills a periodic box
/// (with sides as equal as powers of two allow). Each atom is displaced by up to 0.2. Charges alternate
/// +-0.02, velocities are 0. A cut-off of 12 Angstrom needs at least 2^9 atoms. doublings: 0 .. 30, else
/// bad_argument.
md::atoms uniform_system(unsigned doublings);

}  // namespace ballast::bench
