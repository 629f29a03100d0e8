// SPDX-License-Identifier: Apache-2.0
#include "launch_builder.hpp"

namespace ballast::mesicc {

launch_builder::launch_builder(std::string kernel, expression const& across) {
  model_.kernel = std::move(kernel);
  model_.where = {"k.mcu", 100, 3, 0, 0};
  model_.threads_x = across;
}

launch_builder::launch_builder(std::string kernel, expression const& across, expression const& down)
    : launch_builder(std::move(kernel), across) {
  model_.dimensions = 2;
  model_.threads_y = down;
}

built_array launch_builder::array(std::string const& name, std::vector<expression> extents,
                                  std::size_t bytes) {
  auto const place = array(name, name, std::move(extents)).place;
  model_.arrays.back().element_bytes = bytes;
  return {place};
}

built_array launch_builder::array(std::string const& parameter, std::string const& variable,
                                  std::vector<expression> extents, expression const& offset) {
  array_argument argument{
      parameter, variable, "float", 4, std::move(extents), offset, {"k.mcu", 100, 20, 0, 0}};
  model_.arrays.push_back(std::move(argument));
  return {int(model_.arrays.size()) - 1};
}

expression launch_builder::scalar(std::string const& name, std::int64_t minimum) {
  model_.scalars.push_back({name, name, -1, minimum, std::nullopt});
  return scalar_value(int(model_.scalars.size()) - 1);
}

expression launch_builder::unknown(std::string const& why) { return unknown_value(why, here()); }

void launch_builder::add(element const& touched, access_kind kind) {
  access one;
  one.array = touched.array;
  one.kind = kind;
  one.index = touched.index;
  one.guards = guards_;
  one.loops = loops_;
  one.where = here();
  model_.accesses.push_back(std::move(one));
}

}  // namespace ballast::mesicc
