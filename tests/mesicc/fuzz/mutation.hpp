// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// Makes new programs of old ones: most are wrong somewhere, some are right and odd. The same seed makes the
/// same ones.
class mutation {
 public:
  mutation(std::vector<std::string> corpus, unsigned seed) : corpus_(std::move(corpus)), random_(seed) {}

  std::string next();

 private:
  std::string const& any_program();
  std::size_t below(std::size_t bound);
  void change_words(std::vector<std::string>& words);
  void change_bytes(std::string& text);

  std::vector<std::string> corpus_;
  std::mt19937 random_;
};

/// Words, numbers, blanks and other characters; together they are the text.
std::vector<std::string> words_of(std::string const& text);

}  // namespace ballast::mesicc
