// SPDX-License-Identifier: Apache-2.0
#include "halt_reason.hpp"

namespace ballast::detail {

std::string_view reason_of(pool_halt halt) {
  switch (halt) {
    case pool_halt::stop_requested:
      return "a stop was requested";
    case pool_halt::too_many_spawns:
      return "a kernel created more tasks than its `spawns`; those beyond are lost";
    case pool_halt::out_of_joins:
      return "no record is left for a join: the option `joins`";
    case pool_halt::too_many_joins:
      return "a kernel made more joins than its `joins`, or ended some twice; what hangs on them is lost";
    case pool_halt::bad_range:
      return "a kernel created a task of a range that is not 1 to 16777215 blocks; it is lost";
    case pool_halt::stalled:
      return "a worker waited too long for another inside a shared structure";
    default:
      return "";
  }
}

}  // namespace ballast::detail
