// SPDX-License-Identifier: BSL-1.0
// The minimal legal type for each role. The templates are instantiated with them in unit/archetypes.cpp: what they ask
// beyond their concept does not compile there.
#ifndef TESTS_ARCHETYPES_HPP
#define TESTS_ARCHETYPES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/sched/signaller.hpp>
#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>
#include <neuromorph/vector_memory.hpp>

namespace archetype {

struct RandomSource {
  using Offers = neuromorph::offer::List<>;
  std::uint32_t state = 1;
  std::uint32_t next() { return state += 0x9E3779B9U; }
};
static_assert(neuromorph::RandomSource<RandomSource>);

struct Clock {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  Tick time = 0;
  Tick now() { return ++time; }
};
static_assert(neuromorph::ClockSource<Clock>);

/// An event at each second time that it is asked.
struct EventSource {
  using Offers = neuromorph::offer::List<>;
  unsigned asked = 0;
  bool next_event(neuromorph::Event<std::uint32_t>& event, std::uint32_t now) {
    event = {now, 1};
    return ++asked % 2 == 0;
  }
};
static_assert(neuromorph::EventSource<EventSource, std::uint32_t>);

struct Signaller {
  using Offers = neuromorph::offer::List<>;
  neuromorph::Signal signal(std::uint32_t now) {
    return now < 100 ? neuromorph::Signal::run : neuromorph::Signal::finish;
  }
};
static_assert(neuromorph::Signaller<Signaller, std::uint32_t>);

/// Neurons alone, in one chunk.
struct Core {
  unsigned steps = 0, chunks = 0;
  void begin_step(std::uint32_t) { ++steps; }
  bool neurons() { return chunks != steps && ++chunks == steps; }
};

/// A membrane that is above its threshold in each step, whatever the input.
struct Membrane : neuromorph::Part<neuromorph::Role::membrane> {
  template <class Word>
  struct Words {
    Word v;
  };
  static constexpr void step(auto& m, auto& word, const auto&, const auto&) { word.v = m.splat(1); }
  static constexpr void spiked(auto&, auto&, const auto&, auto) {}
};
/// Spikes that leave nothing behind.
struct Synapses : neuromorph::Part<neuromorph::Role::synapses> {
  static constexpr std::size_t receptors = 1;
  static constexpr bool input_in_pairs = false;
  static constexpr auto onto(auto&, const auto&, const auto&, auto sum) { return sum; }
  static constexpr void step(auto&, auto&, const auto&, const auto&) {}
};

/// Eight bits of weight, then 16 neurons, no types, 4 slots.
struct RowFormat {
  static constexpr auto weight_coding = neuromorph::WeightCoding::other;
  static constexpr unsigned index_bits = 4, type_bits = 0, delay_bits = 2, address_bits = 6;
  static constexpr std::uint32_t address_mask = 63;
  static neuromorph::Result<std::uint32_t> encode(const neuromorph::Synapse& synapse) {
    if (synapse.index > 15) return neuromorph::Status{neuromorph::Error::index_out_of_range, 0, synapse.index};
    return static_cast<std::uint32_t>(synapse.weight) << 6 | (synapse.delay & 3) << 4 | synapse.index;
  }
  static neuromorph::Synapse decode(std::uint32_t word) { return {weight(word), (word >> 4) & 3, 0, word & 15}; }
  static std::int32_t weight(std::uint32_t word) { return static_cast<std::int32_t>(word >> 6); }
  static std::uint32_t offset(std::uint32_t step_number) { return step_number << 4; }
  static std::uint32_t address(std::uint32_t word, std::uint32_t step_offset) { return (word + step_offset) & 63; }
};
static_assert(neuromorph::RowFormat<RowFormat>);

/// One vector of synapses.
struct VectorMemory {
  using Offers = neuromorph::offer::List<>;
  std::array<std::uint8_t, 16>* lanes;
  [[nodiscard]] std::uint32_t vectors() const { return 1; }
  [[nodiscard]] neuromorph::Vec<std::uint8_t> read(neuromorph::VectorAddress) const {
    return neuromorph::Vec<std::uint8_t>(*lanes);
  }
  void write(neuromorph::VectorAddress, const neuromorph::Vec<std::uint8_t>& value) const { *lanes = value.array(); }
  void write(neuromorph::VectorAddress address, const neuromorph::Vec<std::uint8_t>& value,
             const neuromorph::MaskVector& mask) const {
    write(address, select(mask, value, read(address)));
  }
};
static_assert(neuromorph::VectorMemory<VectorMemory>);

/// Adds one, and knows of masks no more than it must.
struct VectorRule {
  using Offers = neuromorph::offer::List<>;
  VectorMemory weights;
  [[nodiscard]] std::uint32_t vectors() const { return weights.vectors(); }
  void vector_rule(const neuromorph::MaskVector& mask, neuromorph::VectorAddress address) {
    weights.write(address, weights.read(address) + neuromorph::Vec<std::uint8_t>(1), mask);
  }
};
static_assert(neuromorph::VectorRule<VectorRule>);

/// A backend that adds nothing.
struct Backend : neuromorph::target::Generic {};
static_assert(neuromorph::target::Backend<Backend>);

/// Vectors of which nothing is known but the operations.
struct Vectors {
  using Offers = neuromorph::offer::List<>;

private:
  using Real = neuromorph::target::GenericVectors<1>;
  using Half = std::uint16_t;

public:
  static constexpr std::size_t bytes = 16;
  template <class Element>
  static constexpr std::size_t lanes = 16 / sizeof(Element);
  template <class Element>
  class Register {
    friend Vectors;
    explicit Register(const Real::Register<Element>& known) : hidden(known) {}
    Real::Register<Element> hidden;
  };
  template <class Width>
  class Flags {
    friend Vectors;
    explicit Flags(const Real::Flags<Width>& known) : hidden(known) {}
    Real::Flags<Width> hidden;
  };
  template <class Element>
  using FlagsOf = Flags<std::make_unsigned_t<Element>>;

  template <class Element>
  static Register<Element> load(const Element* from) {
    return Register<Element>(Real::load<Element>(from));
  }
  template <class Element>
  static void store(Element* to, const Register<Element>& a) {
    Real::store<Element>(to, a.hidden);
  }
  template <class Element>
  static Register<Element> splat(Element value) {
    return Register<Element>(Real::splat<Element>(value));
  }
  template <class To, class From>
  static Register<To> cast(const Register<From>& a) {
    return Register<To>(Real::cast<To, From>(a.hidden));
  }
  template <class Element>
  static Register<Element> add(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::add<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> subtract(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::subtract<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> add_saturating(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::add_saturating<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> subtract_saturating(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::subtract_saturating<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> multiply(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::multiply<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> multiply_high(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::multiply_high<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element>(min)(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>((Real::min<Element>)(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element>(max)(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>((Real::max<Element>)(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> bit_and(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::bit_and<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> bit_or(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::bit_or<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> bit_xor(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::bit_xor<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> multiply_fractional(const Register<Element>& a, const Register<Element>& b) {
    return Register<Element>(Real::multiply_fractional<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> shift_left(const Register<Element>& a, unsigned amount) {
    return Register<Element>(Real::shift_left<Element>(a.hidden, amount));
  }
  template <class Element>
  static Register<Element> shift_right(const Register<Element>& a, unsigned amount) {
    return Register<Element>(Real::shift_right<Element>(a.hidden, amount));
  }
  template <class Element>
  static auto unpack_low(const Register<Element>& a) {
    return Register<neuromorph::target::DoubleLane<Element>>(Real::unpack_low<Element>(a.hidden));
  }
  static Flags<Half> unpack_low(const Flags<std::uint8_t>& a) { return Flags<Half>(Real::unpack_low(a.hidden)); }
  template <class Element>
  static auto unpack_high(const Register<Element>& a) {
    return Register<neuromorph::target::DoubleLane<Element>>(Real::unpack_high<Element>(a.hidden));
  }
  static Flags<Half> unpack_high(const Flags<std::uint8_t>& a) { return Flags<Half>(Real::unpack_high(a.hidden)); }
  template <class Element, class From>
  static Register<Element> pack(const Register<From>& low, const Register<From>& high) {
    return Register<Element>(Real::pack<Element, From>(low.hidden, high.hidden));
  }
  template <class Element>
  static Register<Element> pack_saturating(const Register<std::int16_t>& low, const Register<std::int16_t>& high) {
    return Register<Element>(Real::pack_saturating<Element>(low.hidden, high.hidden));
  }
  template <class Element>
  static FlagsOf<Element> equal(const Register<Element>& a, const Register<Element>& b) {
    return FlagsOf<Element>(Real::equal<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static FlagsOf<Element> less(const Register<Element>& a, const Register<Element>& b) {
    return FlagsOf<Element>(Real::less<Element>(a.hidden, b.hidden));
  }
  template <class Element>
  static Register<Element> select(const FlagsOf<Element>& flag, const Register<Element>& a,
                                  const Register<Element>& b) {
    return Register<Element>(Real::select<Element>(flag.hidden, a.hidden, b.hidden));
  }
  template <class Width>
  static Flags<Width> both(const Flags<Width>& a, const Flags<Width>& b) {
    return Flags<Width>(Real::both<Width>(a.hidden, b.hidden));
  }
  template <class Width>
  static Flags<Width> either(const Flags<Width>& a, const Flags<Width>& b) {
    return Flags<Width>(Real::either<Width>(a.hidden, b.hidden));
  }
  template <class Width>
  static Flags<Width> negate(const Flags<Width>& a) {
    return Flags<Width>(Real::negate<Width>(a.hidden));
  }
  template <class Width>
  static std::uint64_t bits(const Flags<Width>& a) {
    return Real::bits<Width>(a.hidden);
  }
  template <class Width>
  static bool any(const Flags<Width>& a) {
    return Real::any<Width>(a.hidden);
  }
  template <class Width>
  static Register<Width> to_lanes(const Flags<Width>& a) {
    return Register<Width>(Real::to_lanes<Width>(a.hidden));
  }
  template <class Width>
  static Flags<Width> from_lanes(const Register<Width>& a) {
    return Flags<Width>(Real::from_lanes<Width>(a.hidden));
  }
};
struct VectorBackend : neuromorph::target::Generic {
  template <std::size_t Count>
  using Vectors = archetype::Vectors;
};
static_assert(neuromorph::target::VectorBackend<VectorBackend>);

/// Takes one transfer at a time and needs a poll for each word of it.
struct CopyEngine {
  static constexpr bool is_immediate = false;
  std::uint32_t* to = nullptr;
  const std::uint32_t* from = nullptr;
  std::size_t left = 0;
  neuromorph::target::Transfer start(void* target, const void* source, std::size_t bytes) {
    if (left != 0) return neuromorph::target::Transfer::none;
    to = static_cast<std::uint32_t*>(target), from = static_cast<const std::uint32_t*>(source), left = bytes / 4;
    return neuromorph::target::Transfer{1};
  }
  bool is_complete(neuromorph::target::Transfer) const { return left == 0; }
  void poll() {
    if (left != 0) *to++ = *from++, --left;
  }
};
static_assert(neuromorph::target::CopyEngine<CopyEngine>);

/// Dead when it has been read.
struct Liveness {
  using Offers = neuromorph::offer::List<>;
  struct State {
    bool is_read = false;
  };
  static constexpr bool in_time_order = false;
  static void read(State& state) { state.is_read = true; }
  static bool is_dead(State state, std::uint32_t, std::uint32_t) { return state.is_read; }
};
static_assert(neuromorph::gc::LivenessPolicy<Liveness>);

/// Room for one event of all neurons, which nothing but `clear` frees.
struct Collector {
  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;

  public:
    using Offers = neuromorph::offer::List<>;
    static constexpr std::size_t bytes = sizeof(Trace) + 24;
    static constexpr std::uint32_t ahead = 0, longest_step = 1;
    static constexpr bool keeps_views = false;
    struct Cursor {
      const Heap* heap;
      bool is_at_end;
      [[nodiscard]] bool done() const { return is_at_end; }
      [[nodiscard]] std::uint32_t time() const { return heap->time_; }
      [[nodiscard]] Trace trace() const { return heap->trace_; }
      void advance() { is_at_end = true; }
      [[nodiscard]] Cursor before() const { return {heap, true}; }
    };
    explicit Heap(std::uint32_t start) : now_(start) {}
    [[nodiscard]] std::uint32_t now() const { return now_; }
    neuromorph::gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) {
      if (events_ != 0) return neuromorph::gc::Recorded::refused_full;
      neuron_ = neuron, time_ = time, trace_ = trace;
      events_ = 1;
      return neuromorph::gc::Recorded::stored;
    }
    Cursor look(std::uint32_t neuron, std::uint32_t, std::uint32_t) const {
      return {this, events_ == 0 || neuron != neuron_};
    }
    Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const {
      return look(neuron, after, until);
    }
    bool advance_to(std::uint32_t now) {
      now_ = now;
      return false;
    }
    [[nodiscard]] std::size_t events() const { return events_; }
    void clear() { events_ = 0; }
    void add_to(neuromorph::gc::Counts& counts) const { counts.stored += events_; }
    [[nodiscard]] bool is_consistent() const { return events_ <= 1; }

  private:
    std::uint32_t now_, neuron_ = 0, time_ = 0, events_ = 0;
    Trace trace_{};
  };
};

/// Neuron 0 has had an event at tick 5.
struct History {
  using Trace = int;
  struct Past {
    std::uint32_t after, until;
    template <class Before, class Each>
    bool of(std::uint32_t neuron, Before before, Each each) const {
      if (neuron == 0 && after >= 5) before(5U, 50);
      if (neuron == 0 && after < 5 && until >= 5) each(5U, 50);
      return true;
    }
    [[nodiscard]] std::uint32_t complete_after() const { return 0; }
  };
  [[nodiscard]] Past past(std::uint32_t after, std::uint32_t until) const { return {after, until}; }
};
static_assert(neuromorph::History<History>);

} // namespace archetype

#endif
