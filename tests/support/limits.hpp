// SPDX-License-Identifier: BSL-1.0
// Where what is accepted ends, to the last bit of a double.
#ifndef TESTS_SUPPORT_LIMITS_HPP
#define TESTS_SUPPORT_LIMITS_HPP

/// Two neighbours among the doubles, of which the first is taken and the second is refused.
struct Limit {
  double last = 0.0, next = 0.0;
};

/// The limit between a number that `accepts` takes and one that it refuses; of a wrong pair one that no test expects.
template <class Accepts>
Limit limit_between(double good, double bad, const Accepts& accepts) {
  if (!accepts(good) || accepts(bad)) return {12345.0, 12345.0};
  for (;;) {
    const double middle = good / 2 + bad / 2;
    if (middle == good || middle == bad) return {good, bad};
    (accepts(middle) ? good : bad) = middle;
  }
}

#endif
