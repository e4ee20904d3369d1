// SPDX-License-Identifier: BSL-1.0
/// \file
/// Programs of native cores, and images in which hosts load them: the same file of form APLX as a board takes, with a name in it.
///
///     machine::Programs programs;
///     programs.add<Cell>("cell");
///     const auto image = machine::image_of("cell"); // flood it as any other
// host-only
#ifndef NEUROMORPH_MACHINE_PROGRAMS_HPP
#define NEUROMORPH_MACHINE_PROGRAMS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/native.hpp>
#include <neuromorph/protocols/aplx.hpp>
#include <neuromorph/runtime/region.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

namespace detail {
template <class... Each>
[[nodiscard]] std::vector<std::uint32_t> fingerprints_of(runtime::Regions<Each...>) {
  return {Each::fingerprint...};
}
} // namespace detail

class Programs {
public:
  /// \param name  in images; the last one of a name counts
  template <class Vertex>
  void add(std::string name) {
    made_by_[std::move(name)] = {[] { return std::unique_ptr<CoreModel>(std::make_unique<NativeCores<Vertex>>(1)); },
                                 [] { return detail::fingerprints_of(typename Vertex::Regions{}); }};
  }
  /// A program of the system: a CoreModel of one core, made without arguments.
  template <class Model>
  void add_model(std::string name) {
    made_by_[std::move(name)] = {[] { return std::unique_ptr<CoreModel>(std::make_unique<Model>()); },
                                 [] { return std::vector<std::uint32_t>(); }};
  }
  [[nodiscard]] bool has(const std::string& name) const { return made_by_.count(name) != 0; }
  /// Who makes a core of an image that has no name of a native program, or says why there is none; machine::Emulator is one.
  using Maker = std::function<std::unique_ptr<CoreModel>(std::span<const std::uint8_t> image, std::string& why)>;
  void set_maker(Maker maker) { maker_ = std::move(maker); }
  [[nodiscard]] std::unique_ptr<CoreModel> make(std::span<const std::uint8_t> image, std::string& why) const {
    if (maker_) return maker_(image, why);
    why = "the image has no program of this machine";
    return nullptr;
  }
  /// One core of it; nothing where there is no such program.
  [[nodiscard]] std::unique_ptr<CoreModel> make(const std::string& name) const {
    const auto found = made_by_.find(name);
    return found == made_by_.end() ? nullptr : found->second.make();
  }
  /// A line for each, with the fingerprints of its regions.
  [[nodiscard]] std::string text() const {
    std::string made;
    for (const auto& [name, program] : made_by_) {
      made += name + ":";
      for (const std::uint32_t one : program.fingerprints()) {
        std::array<char, 16> words{};
        std::snprintf(words.data(), words.size(), " %08x", static_cast<unsigned>(one));
        made += words.data();
      }
      made += "\n";
    }
    return made;
  }

private:
  struct Program {
    std::unique_ptr<CoreModel> (*make)();
    std::vector<std::uint32_t> (*fingerprints)();
  };
  std::map<std::string, Program> made_by_{};
  Maker maker_{};
};

namespace detail {
inline constexpr std::string_view image_mark = "neuromorph program ";
}

/// \pre the name is not empty, has no byte 0, and at most 200 bytes
/// \return whole words
[[nodiscard]] inline std::vector<std::uint8_t> image_of(std::string_view name) {
  const std::size_t table = 4 * protocols::aplx_entry_bytes;
  const std::size_t text = (detail::image_mark.size() + name.size() + 1 + 31) / 32 * 32;
  std::vector<std::uint8_t> image(table + text);
  const std::span<std::uint8_t> to(image);
  using Kind = protocols::AplxBlock::Kind;
  protocols::encode_aplx({Kind::copy_relative, 0, static_cast<std::uint32_t>(table), static_cast<std::uint32_t>(text)},
                         to);
  protocols::encode_aplx({Kind::execute, 0, 0, 0}, to.subspan(protocols::aplx_entry_bytes));
  std::copy(detail::image_mark.begin(), detail::image_mark.end(), image.begin() + static_cast<std::ptrdiff_t>(table));
  std::copy(name.begin(), name.end(), image.begin() + static_cast<std::ptrdiff_t>(table + detail::image_mark.size()));
  return image;
}
/// The name in an image, behind which there may be anything; empty where it is no image of a native program.
[[nodiscard]] inline std::string name_in(std::span<const std::uint8_t> image) {
  protocols::AplxReader reader(image);
  for (auto block = reader.next(); block && block.value.kind != protocols::AplxBlock::Kind::end;
       block = reader.next()) {
    if (block.value.kind != protocols::AplxBlock::Kind::copy_relative) continue;
    const auto bytes = reader.bytes(block.value);
    const auto mark = detail::image_mark;
    if (bytes.size() <= mark.size() || !std::equal(mark.begin(), mark.end(), bytes.begin())) continue;
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(mark.size());
    const auto end = std::find(begin, bytes.end(), std::uint8_t{0});
    if (end != bytes.end()) return {begin, end};
  }
  return {};
}

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
