// SPDX-License-Identifier: BSL-1.0
/// \file
/// Addresses of hosts and boards, as numbers and as text.
// host-only
#ifndef NEUROMORPH_HOST_ADDRESS_HPP
#define NEUROMORPH_HOST_ADDRESS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

using Address = std::array<std::uint8_t, 4>;
/// "127.0.0.2".
[[nodiscard]] inline std::string text_of(const Address& address) {
  std::string made;
  for (const std::uint8_t one : address) made += (made.empty() ? "" : ".") + std::to_string(one);
  return made;
}
/// \return whether it is four numbers with points between them
[[nodiscard]] inline bool parse(const std::string& text, Address& to) {
  std::size_t at = 0;
  for (std::size_t number = 0; number < to.size(); ++number) {
    const std::size_t begin = at;
    unsigned value = 0;
    while (at < text.size() && at - begin < 3 && text[at] >= '0' && text[at] <= '9')
      value = 10 * value + static_cast<unsigned>(text[at++] - '0');
    if (at == begin || value > 255) return false;
    to[number] = static_cast<std::uint8_t>(value);
    if (number + 1 < to.size() && (at == text.size() || text[at++] != '.')) return false;
  }
  return at == text.size();
}

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
