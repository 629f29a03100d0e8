// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/run_record.hpp"

namespace ballast {

/// Throws bad_argument naming the field if the record breaks a rule of bench/SCHEMA.md that its type allows
/// it to break.
void check_record(run_record const& record);

/// Throws bad_argument if a file's name may not hold the part; it may be empty.
void check_name_part(std::string const& argument, std::string const& part);

}  // namespace ballast
