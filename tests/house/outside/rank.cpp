// SPDX-License-Identifier: Apache-2.0
#include "ballast/mpi.hpp"

int main() {
  auto const ranks = ballast::mpi_cluster();
  return ranks.ranks() == 1 ? 0 : 1;
}
