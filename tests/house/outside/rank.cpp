// SPDX-License-Identifier: Apache-2.0
#include "ballast/mpi.hpp"

int main() { return ballast::detail::mpi_transport() ? 0 : 1; }
