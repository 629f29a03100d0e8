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

/// Why a launch cannot be cut in a direction, by what it does with one variable: assumption A2 of Ohno et al.
/// (2016), section 3.1, and that what a part writes is one range. Each question says nothing where all is
/// well.
class overlap_checks {
 public:
  overlap_checks(launch_model const& model, cut_direction const& cut, isl_session const& session)
      : model_(model), cut_(cut), session_(session) {}

  /// What a row writes is one range that lies behind the row's before, or before it, each time: then neither
  /// of the next two has anything to say. One question in place of one for each two writes. No for what is
  /// not known.
  bool rows_are_apart(accessed_variable const& variable) const;
  /// Two rows write one element.
  std::optional<diagnostic> shared_writes(accessed_variable const& variable) const;
  /// What a row writes lies between elements of another row.
  std::optional<diagnostic> interleaved_writes(accessed_variable const& variable) const;
  /// What a part reads lies within what another part writes.
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
  /// What rows write, if that can be compared with each write.
  std::optional<isl::set> written_by_row(accessed_variable const& variable) const;
  bool rows_meet(access_elements const& one, isl::set const& others) const;
  /// The first of `others` of which another row touches what a row of `one` does; null if it is not found.
  access_elements const* first_met(access_elements const& one,
                                   std::vector<access_elements const*> const& others) const;
  void add_note_of_one_variable(accessed_variable const& variable, diagnostic& said) const;

  launch_model const& model_;
  cut_direction const& cut_;
  isl_session const& session_;
};

}  // namespace ballast::mesicc
