// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ballast {

/// A JSON document to be written. Members of objects keep their order; numbers are written with 17
/// significant digits, so that reading returns the same bits.
///   json_value::object{{"atoms", 4096}, {"energy", -1.5}, {"devices", json_value::list{"host:1"}}}
class json_value {
 public:
  using list = std::vector<json_value>;
  using member = std::pair<std::string, json_value>;
  using object = std::vector<member>;

  json_value() = default;  ///< null
  json_value(std::same_as<bool> auto value) : value_(value) {}
  json_value(std::signed_integral auto value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) json_value(Integer value) : value_(std::uint64_t{value}) {}
  json_value(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  json_value(char const* text) : value_(std::string(text)) {}
  json_value(std::string_view text) : value_(std::string(text)) {}
  json_value(std::string text) : value_(std::move(text)) {}
  json_value(list values) : value_(std::move(values)) {}
  json_value(object members) : value_(std::move(members)) {}

  /// A list of the range's elements.
  template <class Range>
  static json_value list_of(Range const& range) {
    list values;
    for (auto const& value : range) values.emplace_back(value);
    return values;
  }

  /// The document without a final newline. `indent` 0: one line; else one member per line with that many
  /// spaces per level, lists of plain values on one line. Bytes that are not UTF-8 become U+FFFD; a number
  /// that is not finite becomes null.
  std::string text(int indent = 0) const;

 private:
  friend class json_writer;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, list, object> value_;
};

/// 17 significant digits as JSON writes them ("0.10000000000000001", "4096", "1e+30"); "null" if not finite.
std::string seventeen_digits(double number);

}  // namespace ballast
