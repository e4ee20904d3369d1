// SPDX-License-Identifier: BSL-1.0
/// \file
/// A CoreModel of one core that records nothing, counts nothing, and takes no messages about its run: devices, and programs of the system.
// host-only
#ifndef NEUROMORPH_MACHINE_SINGLE_CORE_HPP
#define NEUROMORPH_MACHINE_SINGLE_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class SingleCore : public CoreModel {
public:
  [[nodiscard]] std::size_t cores() const noexcept final { return 1; }
  [[nodiscard]] Status start(std::size_t, Outbox&) final { return {}; }
  [[nodiscard]] bool control(std::size_t, Outbox&, unsigned, std::span<const std::uint8_t>) final { return false; }
  void pause(std::size_t, Outbox&) final {}
  /// \errors index_out_of_range: it has no such region
  Status load(std::size_t, std::size_t region, std::span<const std::uint8_t>) override {
    return {Error::index_out_of_range, 0, region, "region"};
  }
  [[nodiscard]] std::size_t regions() const noexcept override { return 0; }
  void make_room(std::size_t, unsigned, std::size_t) final {}
  void set_room(std::size_t, unsigned, std::size_t) final {}
  [[nodiscard]] std::span<const std::uint32_t> recorded(std::size_t, unsigned) const noexcept final { return {}; }
  [[nodiscard]] std::uint64_t lost(std::size_t, unsigned) const noexcept final { return 0; }
  void clear(std::size_t, unsigned) noexcept final {}
  [[nodiscard]] std::size_t counters() const noexcept final { return 0; }
  [[nodiscard]] std::uint32_t counter(std::size_t, std::size_t) const noexcept final { return 0; }
  [[nodiscard]] std::uint32_t error(std::size_t) const noexcept final { return 0; }

protected:
  SingleCore() = default;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
