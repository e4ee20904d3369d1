// SPDX-License-Identifier: BSL-1.0
// Ends with 0 when each unit behaves as it was compiled, and the two units' namespaces differ.
#include <cstdio>
#include <cstring>

int first_here();
int first_inline();
int first_template();
const char* first_name();
int second_here();
int second_inline();
int second_template();
const char* second_name();

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) { return; }
  ++wrong;
  std::printf("not so: %s\n", what);
}

} // namespace

int main() {
  expect(first_here() != second_here(), "the units were compiled with different flags");
  expect(first_inline() == first_here(), "the first unit's inline function is its own");
  expect(second_inline() == second_here(), "the second unit's inline function is its own");
  expect(first_template() == first_here() + 100, "the first unit's template is its own");
  expect(second_template() == second_here() + 100, "the second unit's template is its own");
  expect(std::strcmp(first_name(), second_name()) != 0, "the units' namespaces have different names");
  std::printf("%s\n%s\n", first_name(), second_name());
  return wrong == 0 ? 0 : 1;
}
