// SPDX-License-Identifier: BSL-1.0
// A core of the network as a vertex: on a native core of a simulated machine, on an emulated one, and on a chip.
#ifndef EXAMPLES_BALANCED_PLASTIC_VERTEX_HPP
#define EXAMPLES_BALANCED_PLASTIC_VERTEX_HPP

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <neuromorph/digest.hpp>
#include <neuromorph/runtime/vertex.hpp>

#include "network.hpp"

namespace balanced {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

/// What a host tells a core: which one it is, and the keys of all, of 256 each.
struct Place {
  std::uint32_t number;
  std::array<std::uint32_t, cores> keys;
  using Fields = runtime::Fields<&Place::number, &Place::keys>;
};
using PlaceRegion = runtime::Region<Place>;
/// The words of a Far.
using FarRegion = runtime::Region<runtime::Nothing, std::uint32_t>;

/// Records at each pause the digests of its spikes and of its weights, and how many spikes it has fired since the one before.
/// \tparam Engine  that copies rows: that of the core on which it is
template <class Engine>
class Part {
public:
  using Regions = runtime::Regions<PlaceRegion, FarRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Pause>;

  neuromorph::Status start(auto& core) {
    const auto place = core.template region<0>();
    if (!place.status) return place.status;
    const auto words = core.template memory<1>();
    if (words.size() < 2 + sizeof(Far) / 4) return {neuromorph::Error::region_cut_off, 0, words.size(), "words"};
    place_ = *place.head, far_ = reinterpret_cast<Far*>(words.data() + 2);
    if (place_.number >= cores) return {neuromorph::Error::index_out_of_range, 0, place_.number, "core"};
    return load(place_.number, *far_, core_);
  }
  void tick(auto& core, std::uint32_t) {
    core_.run_spikes(); // of the step before
    add_input(place_.number, core_);
    core_.run_step();
    for (const std::uint32_t neuron : core_.fired()) {
      spikes_.add(core_.time()), spikes_.add(neuron), ++fired_;
      core.send(place_.keys[place_.number] + neuron);
    }
  }
  void packet(auto& core, std::uint32_t key) {
    std::uint32_t from = 0;
    while (from < cores && (key & ~0xFFU) != place_.keys[from]) ++from;
    if (from == cores || !core_.receive(key_of(from, key & 0xFF))) core.fail(1); // not meant, or too many in a step
  }
  void pause(auto& core) {
    core_.run_spikes();
    const std::uint64_t spikes = spikes_.value(), weights = digest_of_weights(place_.number, *far_);
    const std::array<std::uint32_t, 5> words{
        static_cast<std::uint32_t>(spikes >> 32), static_cast<std::uint32_t>(spikes),
        static_cast<std::uint32_t>(weights >> 32), static_cast<std::uint32_t>(weights), fired_};
    if (!core.record(0, words)) core.fail(2);
    fired_ = 0;
  }
  void state(auto each) const {
    each(static_cast<std::uint32_t>(spikes_.value() >> 32)), each(static_cast<std::uint32_t>(spikes_.value()));
    each(fired_), each(core_.time());
  }

private:
  struct Asked {
    void operator()(std::uint32_t) const noexcept {}
  };
  Place place_{};
  Far* far_ = nullptr;
  Engine engine_{};
  Core<Engine, Asked> core_{made, engine_, Asked{}, Rules(pair, vogels)};
  neuromorph::Digest spikes_{};
  std::uint32_t fired_ = 0;
};

/// What a host loads as the regions of a core, by their numbers.
inline std::vector<std::uint8_t> region_of(std::uint32_t core, const std::array<std::uint32_t, cores>& keys,
                                           std::size_t region) {
  std::vector<std::uint8_t> bytes;
  if (region == 0) {
    bytes.resize(PlaceRegion::bytes());
    static_cast<void>(PlaceRegion::write(bytes, {core, keys}).ok()); // there is room
    return bytes;
  }
  const auto far = std::make_unique<Far>();
  if (!build(core, *far)) return bytes;
  std::vector<std::uint32_t> words(sizeof(Far) / 4);
  std::memcpy(words.data(), far.get(), sizeof(Far));
  bytes.resize(FarRegion::bytes(words.size()));
  static_cast<void>(FarRegion::write(bytes, {}, words).ok());
  return bytes;
}
/// From what a core has recorded at a pause.
inline Digests digests_in(std::span<const std::uint32_t> words) {
  return {std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{words[2]} << 32 | words[3]};
}

} // namespace balanced

#endif
