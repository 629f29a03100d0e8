// SPDX-License-Identifier: Apache-2.0
#include "source/launch_sites.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "source/conditional_code.hpp"
#include "source/kernel_walker.hpp"
#include "source/launch_arguments.hpp"
#include "source/places.hpp"
#include "source/program_checks.hpp"
#include "source/reached_functions.hpp"

namespace ballast::mesicc {
namespace {

launch_site modelled(checked_launch const& launch, clang::ASTContext& context,
                     std::vector<diagnostic>& found) {
  auto const& kernel = *launch.call->getDirectCallee()->getDefinition();
  launch_site site{launch.call, &kernel, {}, {}, {}};
  host_values const host(launch.within, context);
  kernel_walker walker(context, site.model, found);
  walker.prepare(kernel);
  launch_binding(context, host, site, found).bind(walker);
  walker.walk(kernel);
  site.arguments.resize(site.model.arrays.size(), -1);
  site.named.resize(walker.named_variables().size());
  auto const first_named = site.model.arrays.size() - site.named.size();
  for (auto const& [variable, array] : walker.named_variables())
    site.named[std::size_t(array) - first_named] = variable;
  return site;
}

/// The same place of a kernel may be refused for each of its launches.
void keep_first_of_equals(std::vector<diagnostic>& diagnostics) {
  std::set<std::tuple<place, std::string>> seen;
  std::erase_if(diagnostics,
                [&](diagnostic const& one) { return !seen.emplace(one.where, one.message).second; });
}

}  // namespace

bool launch_sites::has_errors() const {
  return std::ranges::any_of(diagnostics, [](auto const& one) { return one.level == severity::error; });
}

launch_sites launches_of(program const& parsed) {
  launch_sites made;
  auto const checked = checked_program(parsed, made.diagnostics);
  for (auto const& launch : checked.launches)
    made.sites.push_back(modelled(launch, parsed.context(), made.diagnostics));
  auto const of_kernels = functions_of_kernels(parsed);
  refuse_shared_variables_of_host_code(parsed, of_kernels, made.diagnostics);
  find_conditions_on_compilers(parsed, of_kernels, made.diagnostics);
  keep_first_of_equals(made.diagnostics);
  std::ranges::sort(made.diagnostics, {}, [](auto const& one) { return std::tie(one.where, one.message); });
  return made;
}

}  // namespace ballast::mesicc
