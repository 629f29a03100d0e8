// SPDX-License-Identifier: Apache-2.0
#include "report/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ballast/arguments.hpp"

namespace ballast {

/// Writes one document; besides the text, the level of nesting is its only state.
class json_writer {
 public:
  explicit json_writer(int indent) : indent_(static_cast<std::size_t>(std::max(indent, 0))) {}

  std::string write(json_value const& root) && {
    value(root);
    return std::move(text_);
  }

 private:
  void value(json_value const& one) {
    std::visit([this](auto const& held) { plain_or_nested(held); }, one.value_);
  }

  void plain_or_nested(std::monostate) { text_ += "null"; }
  void plain_or_nested(bool held) { text_ += held ? "true" : "false"; }
  void plain_or_nested(std::int64_t held) { text_ += std::to_string(held); }
  void plain_or_nested(std::uint64_t held) { text_ += std::to_string(held); }
  void plain_or_nested(double held) { text_ += seventeen_digits(held); }
  /// Escapes characters that a terminal obeys; JSON itself escapes only the controls below a blank.
  void plain_or_nested(std::string const& held) {
    auto text = nlohmann::json(held).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    for (auto at = text.find('\x7f'); at != text.npos; at = text.find('\x7f', at))
      text.replace(at, 1, "\\u007f");
    text_ += escape_control_characters(text);
  }

  void plain_or_nested(json_value::list const& held) {
    bool const on_one_line = std::none_of(held.begin(), held.end(), &json_writer::is_nested);
    nested('[', ']', held, on_one_line, [this](json_value const& one) { value(one); });
  }

  void plain_or_nested(json_value::object const& held) {
    nested('{', '}', held, false, [this](json_value::member const& one) {
      plain_or_nested(one.first);
      text_ += indent_ == 0 ? ":" : ": ";
      value(one.second);
    });
  }

  template <class Elements, class Write>
  void nested(char open, char close, Elements const& elements, bool on_one_line, Write write_element) {
    text_ += open;
    ++level_;
    for (auto const& element : elements) {
      if (&element != elements.data()) text_ += on_one_line && indent_ > 0 ? ", " : ",";
      if (!on_one_line) break_line();
      write_element(element);
    }
    --level_;
    if (!on_one_line && !elements.empty()) break_line();
    text_ += close;
  }

  void break_line() {
    if (indent_ > 0) text_.append(1, '\n').append(indent_ * level_, ' ');
  }

  static bool is_nested(json_value const& one) {
    return std::holds_alternative<json_value::list>(one.value_) ||
           std::holds_alternative<json_value::object>(one.value_);
  }

  std::size_t const indent_;
  std::size_t level_ = 0;
  std::string text_;
};

std::string json_value::text(int indent) const { return json_writer(indent).write(*this); }

std::string seventeen_digits(double number) {
  if (!std::isfinite(number)) return "null";
  char digits[40];
  auto const end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 17);
  return {digits, end.ptr};
}

}  // namespace ballast
