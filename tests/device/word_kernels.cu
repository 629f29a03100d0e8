// SPDX-License-Identifier: Apache-2.0
#include "word_kernels.cuh"

#include "code_of_kernel.cuh"

namespace ballast::test {

template <class Word>
kernel_code meet_values_kernel() {
  return code_of_kernel<meet_values<Word>>("meet_values");
}
template <class Word>
kernel_code share_words_kernel() {
  return code_of_kernel<share_words<Word>>("share_words");
}
template <class Word>
kernel_code set_bits_kernel() {
  return code_of_kernel<set_bits<Word>>("set_bits");
}

#define BALLAST_TEST_WORD(WORD)                    \
  template kernel_code meet_values_kernel<WORD>(); \
  template kernel_code share_words_kernel<WORD>();
#define BALLAST_TEST_INTEGER(WORD) \
  BALLAST_TEST_WORD(WORD)          \
  template kernel_code set_bits_kernel<WORD>();
BALLAST_TEST_INTEGER(std::uint32_t)
BALLAST_TEST_INTEGER(std::int32_t)
BALLAST_TEST_INTEGER(std::uint64_t)
BALLAST_TEST_INTEGER(std::int64_t)
BALLAST_TEST_WORD(float)
BALLAST_TEST_WORD(double)
#undef BALLAST_TEST_INTEGER
#undef BALLAST_TEST_WORD

}  // namespace ballast::test
