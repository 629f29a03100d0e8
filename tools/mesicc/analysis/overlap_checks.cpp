// SPDX-License-Identifier: Apache-2.0
#include "overlap_checks.hpp"

#include <isl/cpp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "growing_union.hpp"

namespace ballast::mesicc {
namespace {

/// `elements` with one parameter renamed; `to` must not be among them.
isl::set renamed(isl::set const& elements, std::string const& from, std::string const& to) {
  int const place = isl_set_find_dim_by_name(elements.get(), isl_dim_param, from.c_str());
  if (place < 0) return elements;
  return isl::manage(isl_set_set_dim_id(elements.copy(), isl_dim_param, unsigned(place),
                                        isl::id(elements.ctx(), to).release()));
}

std::string const other_row = "q";

/// The set in which parameter `a` is less than parameter `b`.
isl::set in_order(isl::set const& all, std::string const& a, std::string const& b) {
  return all.param_pw_aff_on_domain(a).lt_set(all.param_pw_aff_on_domain(b));
}

isl::set differ(isl::set const& all, std::string const& a, std::string const& b) {
  return in_order(all, a, b).unite(in_order(all, b, a));
}

/// The values of the parameters for which the parameter `name` is in `elements`.
isl::set element_named(isl::set const& elements, std::string const& name) {
  auto const element = isl::pw_aff(elements.ctx(), "{ [i] -> [(i)] }");
  return elements.intersect(element.eq_set(elements.param_pw_aff_on_domain(name))).params();
}

isl::set in_order_or_equal(isl::set const& all, std::string const& a, std::string const& b) {
  return all.param_pw_aff_on_domain(a).le_set(all.param_pw_aff_on_domain(b));
}

/// True if no element of a row comes before an element of an earlier row, or if none comes before an element
/// of a later row. `order` defines what comes before.
template <class Order>
bool are_in_order(isl::set const& row, std::string const& thread, Order order) {
  auto const lower = element_named(row, "i"), higher = element_named(renamed(row, thread, other_row), "j");
  auto const all = isl::set::universe(row.space());
  auto const pairs = lower.intersect(higher).intersect(order(all, "i", "j").params());
  return pairs.intersect(in_order(all, other_row, thread).params()).is_empty() ||
         pairs.intersect(in_order(all, thread, other_row).params()).is_empty();
}

/// All pairs of a part [b, e) and a part [f, g) before or after it.
isl::set other_parts(isl::set const& all, cut_direction const& cut) {
  auto const others = renamed(renamed(cut.limits, parameter::part_begin, "f"), parameter::part_end, "g");
  auto const value = [&](std::string const& name) { return all.param_pw_aff_on_domain(name); };
  auto const apart =
      value("g").le_set(value(parameter::part_begin)).unite(value(parameter::part_end).le_set(value("f")));
  return cut.limits.intersect(others).intersect(apart);
}

bool meets_other_part(part_hull const& read, part_hull const& written, cut_direction const& cut) {
  auto const others =
      renamed(renamed(written.elements, parameter::part_begin, "f"), parameter::part_end, "g");
  auto const all = isl::set::universe(cut.limits.space());
  return !read.elements.intersect(others).intersect(other_parts(all, cut)).is_empty();
}

}  // namespace

std::string overlap_checks::along() const { return "lThreadId." + parameter::of(cut_.along); }

std::string overlap_checks::refusal() const {
  return "cannot partition kernel '" + model_.kernel + "' along " + along() + ": ";
}

std::string overlap_checks::name_of(access_elements const& one) const {
  return "'" + model_.arrays[std::size_t(one.source->array)].parameter + "'";
}

bool overlap_checks::rows_are_apart(accessed_variable const& variable) const {
  auto const row = of_row(variable.writes, cut_, session_);
  auto const few = row ? in_few_pieces(*row, session_) : row;
  return few && session_.ask(false, [&] {
    return few->is_empty() ||
           are_in_order(hull_of(*few).elements, parameter::of(cut_.along), in_order_or_equal);
  });
}

std::optional<isl::set> overlap_checks::written_by_row(accessed_variable const& variable) const {
  auto row = of_row(variable.writes, cut_, session_);
  if (!row || has_few_pieces(*row)) return row;
  session_.leave_unasked();
  return std::nullopt;
}

bool overlap_checks::rows_meet(access_elements const& one, isl::set const& others) const {
  auto const thread = parameter::of(cut_.along);
  auto const row = of_row(one, cut_);
  return !row.intersect(renamed(others, thread, other_row))
              .intersect(differ(isl::set::universe(row.space()), thread, other_row))
              .is_empty();
}

access_elements const* overlap_checks::first_met(access_elements const& one,
                                                 std::vector<access_elements const*> const& others) const {
  auto const met = std::ranges::find_if(others, [&](auto const* other) {
    return session_.ask(false, [&] { return rows_meet(one, of_row(*other, cut_)); });
  });
  return met == others.end() ? nullptr : *met;
}

void overlap_checks::add_note_of_one_variable(accessed_variable const& variable, diagnostic& said) const {
  if (variable.is_one_argument()) return;
  auto const& array = [&](int place) -> array_argument const& { return model_.arrays[std::size_t(place)]; };
  for (int const place : variable.arguments) {
    auto const& argument = array(place);
    said.notes.push_back(
        {argument.where, "at this launch '" + argument.parameter + "' is '" + argument.variable + "'"});
  }
}

diagnostic overlap_checks::not_affine(access_elements const& one) const {
  diagnostic said{severity::error, one.source->where,
                  "cannot partition kernel '" + model_.kernel + "': the index of this write to " +
                      name_of(one) +
                      " is not an affine function of lThreadId, loop counters and arguments of the launch"};
  for (auto const& cause : one.index_causes) said.notes.push_back({cause.where, "it " + cause.why});
  return said;
}

diagnostic overlap_checks::shared_by(access_elements const& one, access_elements const& other) const {
  if (!one.index_causes.empty()) return not_affine(one);
  if (!other.index_causes.empty()) return not_affine(other);
  diagnostic said{severity::error, one.source->where,
                  refusal() + "different values of " + along() + " write the same element of " +
                      name_of(one) + " (assumption A2)"};
  if (&one != &other) said.notes.push_back({other.source->where, "the same element is written here"});
  for (auto const& cause : one.other_causes)
    said.notes.push_back({cause.where, "nothing is known of a value here: it " + cause.why});
  return said;
}

std::optional<diagnostic> overlap_checks::shared_writes(accessed_variable const& variable) const {
  auto const all = written_by_row(variable);
  if (!all) return too_complex(variable);
  for (auto const* const one : variable.writes) {
    auto const meet = session_.ask([&] { return rows_meet(*one, *all); });
    if (meet && !*meet) continue;
    auto const* const other = meet ? first_met(*one, variable.writes) : nullptr;
    if (other == nullptr) return too_complex(variable);
    auto said = shared_by(*one, *other);
    if (one->source->array != other->source->array) add_note_of_one_variable(variable, said);
    return said;
  }
  return std::nullopt;
}

std::optional<diagnostic> overlap_checks::interleaved_writes(accessed_variable const& variable) const {
  auto const row = written_by_row(variable);
  auto const one_range =
      row ? session_.ask([&] { return are_in_order(*row, parameter::of(cut_.along), in_order); })
          : std::nullopt;
  if (!one_range) return too_complex(variable);
  if (*one_range) return std::nullopt;
  auto const& first = *variable.writes.front();
  return diagnostic{
      severity::error, first.source->where,
      refusal() + "the elements of " + name_of(first) + " that a value of " + along() +
          " writes lie between those that others write, and what a task writes has to be one range"};
}

diagnostic overlap_checks::read_of_other(accessed_variable const& variable, access_elements const& read,
                                         access_elements const& written, bool is_same) const {
  diagnostic said{severity::error, read.source->where,
                  "kernel '" + model_.kernel + "' reads elements of " + name_of(read) +
                      (is_same ? " that other values of " + along() + " write"
                               : " that lie between those that other values of " + along() + " write") +
                      " in the same launch (assumption A2); use a second array"};
  said.notes.push_back({written.source->where, "written here"});
  for (auto const& cause : read.index_causes)
    said.notes.push_back({cause.where, "the index of what is read is not affine: it " + cause.why});
  add_note_of_one_variable(variable, said);
  return said;
}

std::optional<diagnostic> overlap_checks::reads_of_others(accessed_variable const& variable,
                                                          part_hull const& read,
                                                          part_hull const& written) const {
  auto const meet = session_.ask([&] { return meets_other_part(read, written, cut_); });
  if (!meet) return too_complex(variable);
  if (!*meet) return std::nullopt;
  if (variable.exposed_reads.empty()) return too_complex(variable);
  auto const all = written_by_row(variable);
  if (!all) return too_complex(variable);
  for (auto const* const one : variable.exposed_reads) {
    if (!session_.ask(true, [&] { return rows_meet(*one, *all); })) continue;
    if (auto const* const write = first_met(*one, variable.writes))
      return read_of_other(variable, *one, *write, true);
  }
  return read_of_other(variable, *variable.exposed_reads.front(), *variable.writes.front(), false);
}

diagnostic overlap_checks::too_complex(accessed_variable const& variable) const {
  auto const& first = *variable.writes.front();
  return {severity::error, first.source->where,
          refusal() + "what it writes to " + name_of(first) + " is too complex to tell which values of " +
              along() + " write what"};
}

}  // namespace ballast::mesicc
