// SPDX-License-Identifier: BSL-1.0
// Vector rules on plastic rows beside the same rules on plain memory.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/plastic_vectors.hpp>
#include <neuromorph/kernels/plasticity/rules/additive.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>
#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 4>;
using Update = DeferredUpdate<Word, timing::Pair<>, weight::Additive>;
constexpr std::uint32_t rows = 9, columns = 37; // three vectors a row, the last one in part
using Array = SynapseSet<rows, columns>;

struct Rows {
  std::array<std::vector<std::uint32_t>, rows> words;
  std::span<std::uint32_t> operator()(std::uint32_t row) {
    return row < rows ? words[row] : std::span<std::uint32_t>();
  }
};

} // namespace

TEST_CASE("plastic_vectors: a rule under a mask does to rows what it does to bytes", "[plastic_vectors]") {
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed});
    const auto update = Update::from({100, 60100}, {}).value();
    Rows in;
    VectorArray<Array::vectors> plain, causal, acausal;
    VectorArray<Array::vectors> causal_of_rows, acausal_of_rows;
    std::array<std::vector<std::uint32_t>, rows> states;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t size = row == 0 ? 0 : row == 1 ? columns : uniform_below(random, columns + 1);
      in.words[row].resize(Update::Row::words(columns, 2));
      auto made = Update::Row::make(in.words[row], columns, 0).value();
      for (std::uint32_t at = 0; at < size; ++at) {
        const std::uint32_t state = uniform_below(random, 8) == 0 ? 0U - uniform_below(random, 2) : random.next();
        std::uint32_t word = Word::encode({.weight = 100, .delay = 3, .type = 1, .index = at}).value();
        std::uint32_t stored = 0;
        update.set_share(word, stored, state);
        REQUIRE(made.append(word, stored));
        plain.elements[(row * 3 + at / 16) * 16 + at % 16] = static_cast<std::uint8_t>(state >> 24);
        states[row].push_back(state);
      }
    }
    for (std::size_t at = 0; at < causal.elements.size(); ++at) {
      causal.elements[at] = causal_of_rows.elements[at] = static_cast<std::uint8_t>(random.next());
      acausal.elements[at] = acausal_of_rows.elements[at] = static_cast<std::uint8_t>(random.next());
    }
    const auto enabled = Array::where([&](auto, auto) { return random.next() % 3 != 0; });
    const auto mask = Mask<Array::vectors, Array::vectors>::from(enabled).value();

    const PlasticVectors<Update, columns, Rows> of_rows(update, rows, in);
    static_assert(VectorMemory<PlasticVectors<Update, columns, Rows>>);
    CHECK(of_rows.vectors() == Array::vectors);
    MaskWrapper on_rows(mask, StdpRule{of_rows, PlainVectors(causal_of_rows), PlainVectors(acausal_of_rows)});
    MaskWrapper on_bytes(mask, StdpRule{PlainVectors(plain), PlainVectors(causal), PlainVectors(acausal)});
    REQUIRE(on_rows.run());
    REQUIRE(on_bytes.run());

    CHECK(causal_of_rows.elements == causal.elements);
    for (std::uint32_t row = 0; row < rows; ++row) {
      const Update::Row made(in.words[row]);
      for (std::uint32_t at = 0; at < made.size(); ++at) {
        INFO("synapse " << at << " of row " << row);
        const std::uint32_t state = made.states()[at], before = states[row][at];
        const std::uint8_t byte = plain.elements[(row * 3 + at / 16) * 16 + at % 16];
        CHECK(state >> 24 == byte);
        if (byte == before >> 24)
          CHECK(state == before);
        else
          CHECK((state & 0xFFFFFF) == (byte == 0 ? 0 : byte == 255 ? 0xFFFFFF : before & 0xFFFFFF));
        const Synapse synapse = Word::decode(made.plastic()[at]);
        CHECK((synapse.delay == 3 && synapse.type == 1 && synapse.index == at));
        CHECK(synapse.weight == update.weight_of(state));
      }
      CHECK((made.fixed()[0] == 0 && made.fixed()[1] == 0));
    }
  }
}

TEST_CASE("plastic_vectors: a row that there is not reads 0 and keeps nothing", "[plastic_vectors]") {
  const Update update{};
  const auto no_row = [](std::uint32_t) { return std::span<std::uint32_t>(); };
  const PlasticVectors<Update, 20, decltype(no_row)> none(update, 3, no_row);
  CHECK(none.vectors() == 6);
  CHECK(none.read(5).array() == std::array<std::uint8_t, 16>{});
  none.write(5, Vec<std::uint8_t>(7));
  CHECK(none.read(5).array() == std::array<std::uint8_t, 16>{});
}

namespace {

/// Each spike takes a little, and is counted twice.
struct Counted {
  using Offers = offer::List<offer::OwnBits, offer::OwnWord>;
  static constexpr unsigned own_bits = 12;
  static constexpr bool own_word = true;
  static constexpr Share toll = 0x0012'3000;
  using RowTrace = Share;
  using NeuronTrace = Share;
  static constexpr Share aged(auto&, Share row, std::uint32_t) { return row; }
  static constexpr Share pre_spiked(auto&, Share row, std::uint32_t) { return row + 1; }
  static constexpr Share post_spiked(auto&, Share neuron, std::uint32_t) { return neuron; }
  static constexpr void at_post(auto&, Share, std::uint32_t, Share) {}
  static constexpr void at_pre(auto& synapse, Share, std::uint32_t, Share, std::uint32_t) {
    synapse.down(toll);
    synapse.set_own(synapse.own() + 1);
    synapse.set_own_word(synapse.own_word() + 1);
  }
};

/// Lanes become others.
template <VectorMemory Weights, VectorSource To>
struct Become {
  using Offers = offer::List<>;
  Weights weights;
  To to;
  VectorAddress vectors() const { return fewest_vectors(weights, to); }
  void vector_rule(const MaskVector& mask, VectorAddress address) { weights.write(address, to.read(address), mask); }
};
template <class Weights, class To>
Become(Weights, To) -> Become<Weights, To>;

} // namespace

TEST_CASE("plastic_vectors: rules under masks between the updates of the same rows", "[plastic_vectors]") {
  using Learning = DeferredUpdate<SynapticWord<8, 0, 3, WeightSign::signed_value>, Counted, weight::Additive>;
  using Signed = Learning::Word;
  constexpr std::uint32_t own_mask = 0xFFF;
  std::uint32_t written = 0;
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed});
    auto learning = Learning::from({Signed::lowest_weight, Signed::highest_weight}, {}).value();
    TraceStore<Share, columns> history;
    Rows in;
    struct Model {
      std::uint32_t share, spikes = 0; ///< the own bits of the share are 0, but of the highest
    };
    std::array<std::vector<Model>, rows> models;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t room = uniform_below(random, columns + 1), size = uniform_below(random, room + 1);
      in.words[row].resize(Learning::Row::words(room, 3));
      auto made = Learning::Row::make(in.words[row], room, 0).value();
      for (std::size_t at = Learning::Row::words(0, 0); at < in.words[row].size(); ++at)
        in.words[row][at] = 0xABCD'0000 + static_cast<std::uint32_t>(at);
      for (std::uint32_t at = 0; at < size; ++at) {
        const std::uint32_t kind = uniform_below(random, 6), drawn = random.next() & ~own_mask;
        const std::uint32_t share = kind == 0 ? 0 : kind == 1 ? ~own_mask : drawn;
        const auto word = Signed::encode(
            {.weight = learning.weight_of(share), .delay = 1 + at % 8, .type = 0, .index = columns - 1 - at});
        REQUIRE(made.append(word.value(), share));
        models[row].push_back({share == ~own_mask ? ~0U : share});
      }
    }
    const PlasticVectors<Learning, columns, Rows> weights(learning, rows, in);
    for (std::uint32_t step = 1; step <= 60; ++step) {
      history.advance_to(step);
      const std::uint32_t row = uniform_below(random, rows);
      if (uniform_below(random, 2) == 0) {
        learning.pre_spike(in.words[row], step, history);
        for (Model& model : models[row]) {
          const std::uint32_t down = model.share > Counted::toll ? model.share - Counted::toll : 0;
          model.share = down == 0 ? 0 : (down + own_mask / 2 + 1) & ~own_mask;
          ++model.spikes;
        }
      } else {
        const std::uint32_t kind = uniform_below(random, 4);
        const auto enabled =
            Array::where([&](auto, auto) { return kind == 0 || (kind != 1 && random.next() % 3 != 0); });
        const auto mask = Mask<Array::vectors, Array::vectors>::from(enabled).value();
        VectorArray<Array::vectors> to;
        for (auto& lane : to.elements) {
          const std::uint32_t drawn = random.next();
          lane = static_cast<std::uint8_t>(drawn >> 30 == 0 ? 0 : drawn >> 30 == 1 ? 255 : drawn);
        }
        MaskWrapper rule(mask, Become{weights, PlainVectors(to)});
        REQUIRE(rule.run());
        for (const SynapsePlace at : enabled) {
          if (at.column >= models[at.row].size()) continue;
          std::uint32_t& share = models[at.row][at.column].share;
          const std::uint32_t after = to.elements[(at.row * 3 + at.column / 16) * 16 + at.column % 16];
          if (after == share >> 24) continue;
          const std::uint32_t finer = share & 0xFFFFFF & ~own_mask;
          share = after == 0 ? 0 : after == 255 ? ~0U : after << 24 | finer;
          ++written;
        }
      }
      for (std::uint32_t of = 0; of < rows; ++of) {
        const Learning::Row made(in.words[of]);
        REQUIRE(made.size() == models[of].size());
        for (std::uint32_t at = 0; at < made.size(); ++at) {
          const Model& model = models[of][at];
          const std::uint32_t state = made.states()[at];
          const Synapse synapse = Signed::decode(made.plastic()[at]);
          bool is_right = (state & ~own_mask) == (model.share & ~own_mask) && (state & own_mask) == model.spikes;
          is_right = is_right && made.own_words()[at] == model.spikes;
          is_right = is_right && synapse.index == columns - 1 - at && synapse.delay == 1 + at % 8;
          const double exact = Signed::lowest_weight +
                               model.share / 4294967296.0 * (Signed::highest_weight - double{Signed::lowest_weight});
          is_right = is_right && std::fabs(synapse.weight - exact) <= 0.5001;
          if (is_right) continue;
          INFO("synapse " << at << " of row " << of << " after step " << step << ": state " << state << " for share "
                          << model.share << ", weight " << synapse.weight);
          REQUIRE(is_right);
        }
        for (std::uint32_t at = made.size(); at < made.room(); ++at)
          for (std::uint32_t part = 0; part < 3; ++part) {
            const std::size_t place = Learning::Row::words(0, 0) + part * made.room() + at;
            REQUIRE(in.words[of][place] == 0xABCD'0000 + place);
          }
        for (std::size_t place = Learning::Row::words(made.room(), 0); place < in.words[of].size(); ++place)
          REQUIRE(in.words[of][place] == 0xABCD'0000 + place);
      }
    }
  }
  CHECK(written > 10'000);
}

TEST_CASE("plastic_vectors: the ends of a lane are those of the range, and other lanes keep their finer bits",
          "[plastic_vectors]") {
  const auto update = Update::from({100, 60100}, {}).value();
  constexpr std::uint32_t fine = 0x123456;
  for (const unsigned before : {0U, 1U, 7U, 254U, 255U})
    for (const unsigned after : {0U, 1U, 8U, 253U, 254U, 255U})
      for (const bool is_masked : {false, true}) {
        INFO(before << " becomes " << after);
        Rows in;
        in.words[0].resize(Update::Row::words(20, 0));
        auto row = Update::Row::make(in.words[0], 20, 0).value();
        for (std::uint32_t at = 0; at < 18; ++at) {
          std::uint32_t word = Word::encode({.weight = 100, .delay = 3, .type = 0, .index = at}).value(), state = 0;
          update.set_share(word, state, before << 24 | fine);
          REQUIRE(row.append(word, state));
        }
        const PlasticVectors<Update, 20, Rows> memory(update, 1, in);
        std::array<std::uint8_t, 16> lanes{}, set{};
        lanes.fill(static_cast<std::uint8_t>(after));
        set[1] = 1;
        using Bytes = Vec<std::uint8_t>;
        if (is_masked)
          memory.write(1, Bytes(lanes), Bytes(set) == Bytes(1));
        else
          memory.write(1, Bytes(lanes)); // the last two synapses
        for (std::uint32_t at = 0; at < 18; ++at) {
          const bool is_written = at == 17 || (at == 16 && !is_masked);
          const std::uint32_t finer = after == 0 ? 0 : after == 255 ? 0xFFFFFF : fine;
          const bool is_same = !is_written || before == after;
          REQUIRE(row.states()[at] == (is_same ? before << 24 | fine : after << 24 | finer));
          REQUIRE(Word::weight(row.plastic()[at]) == update.weight_of(row.states()[at]));
        }
      }
}
