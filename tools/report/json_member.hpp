// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "report/json_value.hpp"

namespace ballast {

/// One value of a JSON document that was read, and the way to it ("series[2].unit"). Whatever is not as it
/// was asked for ends in ballast::error, which begins with the file and that way. The document outlives it.
class json_member {
 public:
  json_member(nlohmann::ordered_json const& value, std::string file, std::string place = {})
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  json_member at(std::string const& name) const;
  std::optional<json_member> find(std::string const& name) const;
  std::vector<json_member> elements() const;
  bool is_null() const { return value_->is_null(); }

  std::string text() const;
  double number() const;
  bool flag() const;
  template <class Integer>
  Integer count() const;
  std::vector<std::string> texts() const;
  std::vector<double> numbers() const;
  json_value::object members() const;  ///< all of an object, in their order

  /// "FILE: series[2].unit: a string is needed, a number is there", to be thrown.
  error type_error(std::string const& needed) const;

 private:
  std::string at_place() const { return file_ + ": " + (place_.empty() ? "" : place_ + ": "); }

  nlohmann::ordered_json const* value_;
  std::string file_, place_;
};

template <class Integer>
Integer json_member::count() const {
  if (value_->is_number_unsigned()) {
    auto const number = value_->get<std::uint64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  }
  throw type_error("a whole number from 0 on");
}

}  // namespace ballast
