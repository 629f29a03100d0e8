// What the programs beside it fill their variables with and print of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>

#ifndef ROWS
#define ROWS 43
#define COLUMNS 29
#endif

/// Small whole numbers, none of which is 0: sums and products of a few are exact on any device.
template <class Array>
void fill(Array& array, int seed = 1) {
  auto* const elements = reinterpret_cast<float*>(&array);
  for (std::size_t i = 0; i < sizeof(Array) / sizeof(float); ++i) elements[i] = float((i * 7 + seed) % 13 + 1);
}
/// Sums by place, so that two elements that are swapped show.
template <class Element, class Array>
void show_as(char const* name, Array const& array) {
  auto const* const elements = reinterpret_cast<Element const*>(&array);
  double sum = 0, by_place = 0;
  for (std::size_t i = 0; i < sizeof(Array) / sizeof(Element); ++i) {
    sum += double(elements[i]);
    by_place += double(elements[i]) * double(i % 101);
  }
  std::printf("%s: %.17g %.17g\n", name, sum, by_place);
}
template <class Array>
void show(char const* name, Array const& array) {
  show_as<float>(name, array);
}
