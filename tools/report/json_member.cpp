// SPDX-License-Identifier: Apache-2.0
#include "json_member.hpp"

namespace ballast {
namespace {

using json = nlohmann::ordered_json;

std::string kind_of(json const& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "the string " + value.dump();
    case json::value_t::boolean:
      return "a boolean";
    default:
      return "the number " + value.dump();
  }
}

json_value::object members_of(json const& value);

json_value copy_of(json const& value) {
  switch (value.type()) {
    case json::value_t::object:
      return members_of(value);
    case json::value_t::string:
      return value.get<std::string>();
    case json::value_t::boolean:
      return value.get<bool>();
    case json::value_t::number_integer:
      return value.get<std::int64_t>();
    case json::value_t::number_unsigned:
      return value.get<std::uint64_t>();
    case json::value_t::number_float:
      return value.get<double>();
    case json::value_t::array:
      break;
    default:
      return {};
  }
  json_value::list elements;
  for (json const& one : value) elements.push_back(copy_of(one));
  return elements;
}

json_value::object members_of(json const& value) {
  json_value::object members;
  for (auto const& [name, one] : value.items()) members.emplace_back(name, copy_of(one));
  return members;
}

}  // namespace

error json_member::type_error(std::string const& needed) const {
  return error(at_place() + needed + " is needed, " + kind_of(*value_) + " is there");
}

std::optional<json_member> json_member::find(std::string const& name) const {
  if (!value_->is_object()) throw type_error("an object");
  auto const found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  return json_member(*found, file_, place_.empty() ? name : place_ + "." + name);
}

json_member json_member::at(std::string const& name) const {
  if (auto found = find(name)) return *std::move(found);
  throw error(at_place() + "the member " + name + " is missing");
}

std::vector<json_member> json_member::elements() const {
  if (!value_->is_array()) throw type_error("a list");
  std::vector<json_member> all;
  for (json const& one : *value_) {
    all.emplace_back(one, file_, place_ + "[" + std::to_string(all.size()) + "]");
  }
  return all;
}

std::string json_member::text() const {
  return value_->is_string() ? value_->get<std::string>() : throw type_error("a string");
}

double json_member::number() const {
  return value_->is_number() ? value_->get<double>() : throw type_error("a number");
}

bool json_member::flag() const {
  return value_->is_boolean() ? value_->get<bool>() : throw type_error("a boolean");
}

std::vector<std::string> json_member::texts() const {
  std::vector<std::string> all;
  for (json_member const& one : elements()) all.push_back(one.text());
  return all;
}

std::vector<double> json_member::numbers() const {
  std::vector<double> all;
  for (json_member const& one : elements()) all.push_back(one.number());
  return all;
}

json_value::object json_member::members() const {
  return value_->is_object() ? members_of(*value_) : throw type_error("an object");
}

}  // namespace ballast
