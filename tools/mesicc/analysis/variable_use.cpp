// SPDX-License-Identifier: Apache-2.0
#include "variable_use.hpp"

#include <algorithm>
#include <iterator>

#include "growing_union.hpp"
#include "printable_range.hpp"

namespace ballast::mesicc {
namespace {

std::vector<access_elements const*> exact_ones(std::vector<access_elements const*> const& accesses) {
  std::vector<access_elements const*> exact;
  std::ranges::copy_if(accesses, std::back_inserter(exact), [](auto const* one) { return one->exact; });
  return exact;
}

isl::set part_of_row(isl::set const& row, cut_direction const& cut) {
  return of_part(row, cut).intersect(cut.limits).coalesce();
}

/// What a part touches, in few pieces.
std::optional<isl::set> part_of(std::vector<access_elements const*> const& accesses, cut_direction const& cut,
                                isl_session const& session) {
  auto const row = of_row(accesses, cut, session);
  auto const few = row ? in_few_pieces(*row, session) : row;
  if (!few) return std::nullopt;
  return session.ask([&] { return part_of_row(*few, cut); });
}

/// Whether each element between the first and the last that a part writes is written. No for what is too much
/// to be compared.
bool writes_all_of(part_hull const& written, accessed_variable const& variable, cut_direction const& cut,
                   isl_session const& session) {
  auto const row = of_row(exact_ones(variable.writes), cut, session);
  return row && has_few_pieces(*row) && session.ask(false, [&] {
    return written.elements.intersect(cut.limits).is_subset(part_of_row(*row, cut));
  });
}

/// What may be left as it is has to be there before, since all of the hull is brought back.
isl::set with_unwritten(isl::set const& read, accessed_variable const& variable, variable_use const& use,
                        cut_direction const& cut, isl_session const& session) {
  if (!use.writes || writes_all_of(*use.writes, variable, cut, session)) return read;
  return read.unite(use.writes->elements.intersect(cut.limits)).coalesce();
}

std::optional<std::vector<part_hull>> hulls_of_reads(accessed_variable const& variable,
                                                     variable_use const& use, cut_direction const& cut,
                                                     isl_session const& session) {
  auto const read = part_of(variable.exposed_reads, cut, session);
  if (!read) return std::nullopt;
  return session.ask([&] { return separate_hulls(with_unwritten(*read, variable, use, cut, session)); });
}

bool is_within(std::vector<part_hull> const& parts, part_hull const& whole, cut_direction const& cut) {
  return std::ranges::all_of(
      parts, [&](auto const& part) { return part.elements.intersect(cut.limits).is_subset(whole.elements); });
}

std::optional<std::vector<element_range>> printable(std::vector<part_hull> const& hulls,
                                                    cut_direction const& cut, isl_session const& session) {
  return session.ask([&] {
    std::vector<element_range> ranges;
    for (auto const& hull : hulls) ranges.push_back(printable_range(hull, cut.limits));
    return ranges;
  });
}

/// One, or none where nothing is written.
std::optional<std::vector<part_hull>> hulls_of_writes(accessed_variable const& variable,
                                                      cut_direction const& cut, isl_session const& session) {
  auto const written = part_of(variable.writes, cut, session);
  if (!written) return std::nullopt;
  return session.ask(
      [&] { return written->is_empty() ? std::vector<part_hull>() : std::vector{hull_of(*written)}; });
}

}  // namespace

part_hull whole_hull(cut_direction const& cut) {
  auto const nowhere = isl::set::empty(cut.limits.params().space()).pw_aff_on_domain(0L);
  return {nowhere, nowhere, isl::set::universe(cut.limits.space())};
}

std::optional<variable_use> use_of(accessed_variable const& variable, cut_direction const& cut,
                                   isl_session const& session) {
  variable_use use;
  if (!variable.writes.empty()) {
    auto const written = hulls_of_writes(variable, cut, session);
    if (!written) return std::nullopt;
    if (!written->empty()) use.writes = written->front();
    use.writes_ends = std::ranges::all_of(variable.writes, [](auto const* one) { return one->exact; });
  }
  auto const reads = hulls_of_reads(variable, use, cut, session);
  use.reads_all = !reads;
  use.reads = reads ? *reads : std::vector{whole_hull(cut)};
  return use;
}

std::optional<array_plan> printable_plan(variable_use& use, cut_direction const& cut,
                                         isl_session const& session) {
  array_plan plan;
  if (use.writes) {
    auto const writes = printable({*use.writes}, cut, session);
    if (!writes) return std::nullopt;
    plan.writes = *writes;
    plan.writes_ends = use.writes_ends;
  }
  if (!use.reads_all) {
    auto const reads = printable(use.reads, cut, session);
    if (reads) plan.reads = *reads;
    use.reads_all = !reads;
  }
  plan.reads_all = use.reads_all;
  if (use.reads_all) use.reads = {whole_hull(cut)};
  plan.reads_only_what_it_writes =
      use.writes && session.ask(false, [&] { return is_within(use.reads, *use.writes, cut); });
  return plan;
}

}  // namespace ballast::mesicc
