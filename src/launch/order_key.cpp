// SPDX-License-Identifier: Apache-2.0
#include "order_key.hpp"

#include "ballast/detail/base/policy_registry.hpp"

namespace ballast {

using namespace detail;
namespace {

constexpr registry_entry<order_key> key_choices[] = {
    {{"fifo", "as the policy orders them (the default)"}, order_key::fifo},
    {{"priority", "the highest priority first; what has a low one may wait forever"}, order_key::priority},
    {{"longest_first", "the longest expected run first, so that short ones fill the end"},
     order_key::longest_first}};

}  // namespace

std::vector<named_policy> order_keys() { return descriptions(key_choices); }

order_key detail::order_key_named(std::string_view name) { return find(key_choices, "among", name); }

}  // namespace ballast
