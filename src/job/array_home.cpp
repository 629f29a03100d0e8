// SPDX-License-Identifier: Apache-2.0
#include "array_home.hpp"

#include <limits>
#include <utility>

#include "ballast/base/error.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

std::size_t checked_bytes(extents const& shape, std::size_t element_bytes) {
  auto const most = std::numeric_limits<std::size_t>::max() / 2 / element_bytes;
  if (shape.elements() > most)
    refuse_argument("sizes", std::to_string(shape.elements()) + " elements",
                    "at most " + std::to_string(most) + " elements");
  return shape.elements() * element_bytes;
}

}  // namespace

array_home::array_home(std::shared_ptr<scheduler_core> of, array_id number, std::string called,
                       extents const& of_shape, std::size_t bytes_of_element)
    : core(std::move(of)),
      id(number),
      shape(of_shape),
      element_bytes(bytes_of_element),
      ledger(checked_bytes(of_shape, bytes_of_element), core->places(), core->operations_of_arrays()),
      name_(std::move(called)),
      on_host_(core->device_that_pins(), bytes()) {}

array_home::~array_home() { core->note_gone(id); }

std::string array_home::name() const {
  return name_.empty() ? "array " + std::to_string(id.value()) : "array '" + name_ + "'";
}

}  // namespace ballast::inline job
