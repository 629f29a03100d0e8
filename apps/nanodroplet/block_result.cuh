// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::nanodroplet {

/// The potential energy of the waters of one block at the end of a trajectory, in kcal/mol.
struct block_result {
  double bond, angle, vdw, coulomb;  ///< of and between waters; of what two share half is in each's block
  double mixed_vdw, mixed_coulomb;   ///< with the beads
};

}  // namespace ballast::nanodroplet
