// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballast {

/// The text as UTF-8 that XML and HTML may contain. Bytes that are not UTF-8, control characters other than
/// tabs and new lines, and the noncharacters U+FFFE and U+FFFF become U+FFFD.
std::string legal_text(std::string_view text);

/// A legal_text() that is literal in HTML and in its attributes.
std::string html_text(std::string_view text);

/// <name>text</name>, the text escaped.
std::string html_element(std::string_view name, std::string_view text);

/// A table whose cells are HTML already.
std::string html_table(std::vector<std::string> const& headers,
                       std::vector<std::vector<std::string>> const& rows);

/// An SVG picture inside the page; screen readers read `described` in its place.
std::string html_picture(std::string_view svg, std::string_view described);

/// A whole page, also well formed as XML. A policy inside it forbids loading anything from elsewhere. `body`
/// is HTML; `script` is JavaScript without <, > and &, run at the end.
std::string html_page(std::string_view title, std::string_view body, std::string_view script = {});

}  // namespace ballast
