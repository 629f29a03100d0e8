// SPDX-License-Identifier: Apache-2.0
#include "mutation.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ballast::mesicc {
namespace {

/// What may stand anywhere in a program of the dialect.
char const* const vocabulary[] = {"__global__",
                                  "__device__",
                                  "extern",
                                  "static",
                                  "const",
                                  "int",
                                  "float",
                                  "unsigned",
                                  "void",
                                  "struct",
                                  "template",
                                  "lThreadId",
                                  "lThreadId.x",
                                  "lThreadId.y",
                                  ".z",
                                  "<<[",
                                  "]>>",
                                  "<<<",
                                  ">>>",
                                  "[",
                                  "]",
                                  "(",
                                  ")",
                                  "{",
                                  "}",
                                  "<",
                                  ">",
                                  ";",
                                  ",",
                                  "*",
                                  "&",
                                  "&&",
                                  "+",
                                  "-",
                                  "/",
                                  "%",
                                  "=",
                                  "==",
                                  "?",
                                  ":",
                                  "::",
                                  "->",
                                  ".",
                                  "!",
                                  "#",
                                  "\n#define N ",
                                  "\n#include \"",
                                  "/*",
                                  "*/",
                                  "//",
                                  "\"",
                                  "'",
                                  "R\"(",
                                  "0",
                                  "1",
                                  "-1",
                                  "64",
                                  "2147483648",
                                  "9223372036854775807",
                                  "1e300",
                                  "for (int i = 0; i < 4; ++i) ",
                                  "while (1) ",
                                  "if (lThreadId.x) ",
                                  "return",
                                  "break",
                                  "goto x",
                                  "auto",
                                  "std::swap(a, b)",
                                  "[&]",
                                  "N",
                                  "a",
                                  "b",
                                  "c",
                                  "sizeof",
                                  "new",
                                  "decltype(a)",
                                  "__syncthreads()",
                                  "atomicAdd(a, 1)",
                                  "\\\n",
                                  "\0x",
                                  "\x80\xff"};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words;
  for (auto begin = text.begin(); begin != text.end();) {
    auto const end = is_of_word(*begin) ? std::find_if_not(begin, text.end(), is_of_word) : begin + 1;
    words.emplace_back(begin, end);
    begin = end;
  }
  return words;
}

std::size_t mutation::below(std::size_t bound) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
}

std::string const& mutation::any_program() { return corpus_[below(corpus_.size())]; }

void mutation::change_words(std::vector<std::string>& words) {
  auto const at = words.begin() + std::ptrdiff_t(below(words.size()));
  auto const reach = std::min<std::size_t>(1 + below(8), std::size_t(words.end() - at));
  switch (below(6)) {
    case 0:
      words.erase(at, at + std::ptrdiff_t(reach));
      break;
    case 1:
      std::swap(*at, words[below(words.size())]);
      break;
    case 2:
      *at = vocabulary[below(std::size(vocabulary))];
      break;
    case 3:
      words.insert(at, vocabulary[below(std::size(vocabulary))]);
      break;
    case 4: {
      std::vector<std::string> const copied(at, at + std::ptrdiff_t(reach));
      words.insert(words.begin() + std::ptrdiff_t(below(words.size())), copied.begin(), copied.end());
      break;
    }
    default: {
      auto const other = words_of(any_program());
      auto const from = below(other.size()),
                 count = std::min<std::size_t>(1 + below(40), other.size() - from);
      words.insert(at, other.begin() + std::ptrdiff_t(from), other.begin() + std::ptrdiff_t(from + count));
    }
  }
}

void mutation::change_bytes(std::string& text) {
  auto const at = below(text.size());
  if (below(2) == 0)
    text.resize(at);
  else
    text[at] = char(below(256));
}

std::string mutation::next() {
  auto words = words_of(any_program());
  for (std::size_t changes = 1 + below(4); changes > 0 && !words.empty(); --changes) change_words(words);
  std::string text;
  for (auto const& word : words) text += word;
  if (below(8) == 0 && !text.empty()) change_bytes(text);
  return text;
}

}  // namespace ballast::mesicc
