// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::nanodroplet {

/// The potential energy of the waters of one block at the end of a trajectory, in kcal/mol.
struct block_result {
  /// Of the waters and between them (half of what waters of two blocks share is in each), and with the beads.
  enum term { bond, angle, vdw, coulomb, mixed_vdw, mixed_coulomb, terms };

  double of[terms];
};

}  // namespace ballast::nanodroplet
