// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "accessed_variable.hpp"
#include "isl_session.hpp"
#include "model/diagnostic.hpp"
#include "model/launch_model.hpp"
#include "part_hull.hpp"

namespace ballast::mesicc {

/// Reports why a launch cannot be cut in a direction, given its uses of one variable: it breaks assumption A2
/// of Ohno et al. (2016), section 3.1, or a part's writes do not form one range. Each check returns nothing
/// if all is well.
class overlap_checks {
 public:
  overlap_checks(launch_model const& model, cut_direction const& cut, isl_session const& session)
      : model_(model), cut_(cut), session_(session) {}

  /// True if the writes of each row lie in a range of their own, and these ranges are in the order of the
  /// rows or in the opposite order: the next two checks then find nothing. False if unknown. Asks one
  /// question, not one for each pair of writes.
  bool rows_are_apart(accessed_variable const& variable) const;
  /// Reports that two rows write one element.
  std::optional<diagnostic> shared_writes(accessed_variable const& variable) const;
  /// Reports that a row's writes lie between elements of another row.
  std::optional<diagnostic> interleaved_writes(accessed_variable const& variable) const;
  /// Reports that a part reads elements that another part writes.
  std::optional<diagnostic> reads_of_others(accessed_variable const& variable, part_hull const& read,
                                            part_hull const& written) const;
  diagnostic too_complex(accessed_variable const& variable) const;

 private:
  std::string along() const;
  std::string refusal() const;
  std::string name_of(access_elements const& one) const;
  diagnostic shared_by(access_elements const& one, access_elements const& other) const;
  diagnostic not_affine(access_elements const& one) const;
  diagnostic read_of_other(accessed_variable const& variable, access_elements const& read,
                           access_elements const& written, bool is_same) const;
  /// The elements that a row writes; nothing if they have too many pieces to be compared with each write.
  std::optional<isl::set> written_by_row(accessed_variable const& variable) const;
  bool rows_meet(access_elements const& one, isl::set const& others) const;
  /// The first of `others` that touches, in another row, an element that a row of `one` touches; null if none
  /// is found.
  access_elements const* first_met(access_elements const& one,
                                   std::vector<access_elements const*> const& others) const;
  void add_note_of_one_variable(accessed_variable const& variable, diagnostic& said) const;

  launch_model const& model_;
  cut_direction const& cut_;
  isl_session const& session_;
};

}  // namespace ballast::mesicc
