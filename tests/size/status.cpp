// SPDX-License-Identifier: BSL-1.0
// A status value that is made, tested and turned into a number, as a driver would report it.
#include <neuromorph/status.hpp>

namespace {

volatile std::uint32_t input = 3;

neuromorph::Status check_index(std::uint32_t index) {
  if (index > 255) { return {neuromorph::Error::index_out_of_range, 0, index}; }
  return {};
}

} // namespace

int main() {
  const neuromorph::Status status = check_index(input);
  return status.ok() ? 0 : static_cast<int>(status.value.whole());
}
