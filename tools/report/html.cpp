// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/json_value.hpp"

namespace ballast {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr std::string_view style = R"(
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; max-width: 1040px;
       padding: 24px; }
h1 { font-size: 26px; margin: 0 0 8px; } h2 { font-size: 20px; margin: 40px 0 8px; } h3 { font-size: 16px; }
table { border-collapse: collapse; margin: 8px 0 16px; display: block; overflow-x: auto; }
th, td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }
th { font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 13px/1.4 ui-monospace, monospace; background: #f4f4f4; padding: 1px 4px; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; border: 1px solid #e4e4e4; }
summary { cursor: pointer; color: #555; } details { margin: 8px 0; }
section { scroll-margin-top: 56px; }
.quiet { color: #555; } .warning { background: #fff3d6; padding: 8px 12px; border-left: 4px solid #c98a00; }
.verdict { padding: 1px 8px; border-radius: 3px; font-weight: 600; white-space: nowrap; }
.reproduced { background: #d7f0dd; } .gone { background: #fbe0d3; } .not_measured { background: #e8e8e8; }
.filters { position: sticky; top: 0; background: #fff; padding: 8px 0; border-bottom: 1px solid #ddd; }
.filters label { margin-right: 16px; } [hidden] { display: none; }
@media (max-width: 640px) {
  body { padding: 12px; } .stacked th { display: none; } .stacked :is(table, tbody, tr, td) { display: block; }
  .stacked td { border: 0; padding: 1px 0; } .stacked tr { border-bottom: 1px solid #ddd; padding: 6px 0; }
}
)";

std::string valid_utf8(std::string_view text) {
  return nlohmann::json::parse(json_value(text).text()).get<std::string>();
}

/// The bytes of an illegal character at the text's front; 0 if it is legal.
std::size_t forbidden_bytes(std::string_view text) {
  auto const first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return first == '\n' || first == '\t' ? 0 : 1;
  if (first == 0xC2) return static_cast<unsigned char>(text[1]) < 0xA0 ? 2 : 0;
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF") ? 3 : 0;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63u];
  }
  return text;
}

std::string row_of(std::string const& name, std::vector<std::string> const& cells) {
  std::string text = "<tr>";
  for (auto const& cell : cells) text += "<" + name + ">" + cell + "</" + name + ">";
  return text + "</tr>\n";
}

}  // namespace

std::string legal_text(std::string_view text) {
  std::string const whole = valid_utf8(text);
  std::string legal;
  for (std::string_view left = whole; !left.empty();) {
    auto const bytes = forbidden_bytes(left);
    legal += bytes > 0 ? replacement : left.substr(0, 1);
    left.remove_prefix(std::max(bytes, std::size_t(1)));
  }
  return legal;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (char const sign : legal_text(text)) {
    if (sign == '&')
      escaped += "&amp;";
    else if (sign == '<')
      escaped += "&lt;";
    else if (sign == '>')
      escaped += "&gt;";
    else if (sign == '"')
      escaped += "&quot;";
    else if (sign == '\'')
      escaped += "&#39;";
    else
      escaped += sign;
  }
  return escaped;
}

std::string html_element(std::string_view name, std::string_view text) {
  return "<" + std::string(name) + ">" + html_text(text) + "</" + std::string(name) + ">";
}

std::string html_table(std::vector<std::string> const& headers,
                       std::vector<std::vector<std::string>> const& rows) {
  std::string text = "<table>\n<thead>" + row_of("th", headers) + "</thead>\n<tbody>";
  for (auto const& row : rows) text += row_of("td", row);
  return text + "</tbody>\n</table>\n";
}

std::string html_picture(std::string_view svg, std::string_view described) {
  return "<p><img loading=\"lazy\" alt=\"" + html_text(described) + "\" src=\"data:image/svg+xml;base64," +
         base64(svg) + "\"/></p>\n";
}

std::string html_page(std::string_view title, std::string_view body, std::string_view script) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  text += html_element("title", title);
  text.append("\n<style>").append(style).append("</style>\n</head>\n<body>\n").append(body);
  if (!script.empty()) text.append("<script>").append(script).append("</script>\n");
  return text + "</body>\n</html>\n";
}

}  // namespace ballast
