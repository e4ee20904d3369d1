// SPDX-License-Identifier: BSL-1.0
/// \file
/// The state of an engine in a file, from which the same network goes on, bit for bit.
///
///     if (const auto refused = network::save(engine, "run.nmc"); !refused) ...
///     if (const auto refused = network::load(other, "run.nmc"); !refused) ...
///
/// The description is not saved: who loads makes an engine of the same network, with any threads, parts, layouts and delivery.
/// Neither recorders nor inputs are saved. What cannot be loaded changes nothing.
// host-only
#ifndef NEUROMORPH_NETWORK_CHECKPOINT_HPP
#define NEUROMORPH_NETWORK_CHECKPOINT_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/network/answer.hpp>
#include <neuromorph/network/detail/description.hpp>
#include <neuromorph/network/detail/output_file.hpp>
#include <neuromorph/network/detail/part.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Words of a state on their way to a file. Readers have the same face, so that what is written and read is said once.
class StateWriter {
public:
  static constexpr bool writes = true, applies = false;

  explicit StateWriter(OutputFile& file) : file_(&file) {}
  void word(std::uint32_t& value) {
    digest_.add(value);
    for (int byte = 0; byte < 4; ++byte) bytes_.push_back(static_cast<char>(value >> 8 * byte & 0xFF));
    ++words_;
    if (bytes_.size() >= buffer_bytes) flush();
  }
  /// What the other side has to know before it goes on.
  std::uint32_t size(std::size_t own) {
    auto value = static_cast<std::uint32_t>(own);
    word(value);
    return value;
  }
  void flush() {
    static_cast<void>(file_->write(bytes_)); // what fails is said by close
    bytes_.clear();
  }
  [[nodiscard]] bool has_room(std::uint64_t) const noexcept { return true; }
  void fail() noexcept {}
  [[nodiscard]] std::uint64_t words() const noexcept { return words_; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }

private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  OutputFile* file_;
  std::string bytes_{};
  WordDigest digest_{};
  std::uint64_t words_ = 0;
};

/// \tparam is_applied  else what is read changes nothing: whether it fits is known before anything is changed
template <bool is_applied>
class StateReader {
public:
  static constexpr bool writes = false, applies = is_applied;

  explicit StateReader(std::span<const std::uint32_t> words) noexcept : words_(words) {}
  void word(std::uint32_t& value) noexcept {
    const std::uint32_t read = next();
    if constexpr (is_applied) value = read;
  }
  std::uint32_t size(std::size_t) noexcept { return next(); }
  /// Whether so many words can follow.
  [[nodiscard]] bool has_room(std::uint64_t count) noexcept {
    if (count > words_.size() - at_) fail();
    return !has_failed_;
  }
  void fail() noexcept { has_failed_ = true; }
  [[nodiscard]] bool is_whole() const noexcept { return !has_failed_ && at_ == words_.size(); }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
  [[nodiscard]] std::uint32_t next() noexcept {
    if (at_ < words_.size()) return words_[at_++];
    has_failed_ = true;
    return 0;
  }

  std::span<const std::uint32_t> words_;
  std::size_t at_ = 0;
  bool has_failed_ = false;
};

/// What a file and an engine agree on. All is by population and neuron, so that parts do not show.
class Checkpoint {
public:
  [[nodiscard]] static Refusal save(const Engine& engine, const std::string& path) {
    const std::string unfinished = path + ".part";
    auto created = OutputFile::create(unfinished, true);
    if (!created) return created.refusal();
    OutputFile& file = created.value();
    static_cast<void>(file.write(std::string(head_bytes, '\0')));
    StateWriter writer(file);
    Engine::State& state = *engine.state_;
    for (std::uint64_t one : identity(state)) wide(writer, one);
    pass(state, writer);
    writer.flush();
    static_cast<void>(file.write_head(head(writer.words(), writer.digest())));
    Refusal refusal = file.close();
    if (refusal && std::rename(unfinished.c_str(), path.c_str()) != 0) refusal = file_failed(path, "replace it");
    if (!refusal) std::remove(unfinished.c_str());
    return refusal;
  }

  [[nodiscard]] static Refusal load(Engine& engine, const std::string& path) {
    std::vector<std::uint32_t> words;
    if (Refusal refusal = read(path, words); !refusal) return refusal;
    Engine::State& state = *engine.state_;
    const std::vector<std::uint64_t> own = identity(state);
    std::span<const std::uint32_t> rest(words);
    for (std::size_t at = 0; at < own.size(); ++at) {
      if (rest.size() < 2) return other_network(state, path, 0, own.size());
      if ((rest[0] | std::uint64_t{rest[1]} << 32) != own[at]) return other_network(state, path, at, own.size());
      rest = rest.subspan(2);
    }
    StateReader<false> checker(rest);
    pass(state, checker);
    if (!checker.is_whole())
      return file_malformed(path, head_bytes + 4 * (words.size() - rest.size() + checker.at()),
                            "what it holds does not fit this network");
    StateReader<true> reader(rest);
    pass(state, reader);
    return {};
  }

private:
  static constexpr std::uint32_t version = 1;
  static constexpr std::size_t head_bytes = 32; ///< magic, version, 0, words of the body, their digest
  static constexpr std::string_view magic = "neurochk";

  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (int byte = 0; byte < bytes; ++byte) to.push_back(static_cast<char>(value >> 8 * byte & 0xFF));
  }
  [[nodiscard]] static std::string head(std::uint64_t words, std::uint64_t digest) {
    std::string bytes(magic);
    put(bytes, version, 4), put(bytes, 0, 4), put(bytes, words, 8), put(bytes, digest, 8);
    return bytes;
  }
  /// \param words  the body
  [[nodiscard]] static Refusal read(const std::string& path, std::vector<std::uint32_t>& words) {
    errno = 0;
    const OpenFile file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) return file_failed(path, "read it");
    std::array<unsigned char, 1 << 16> buffer;
    std::array<unsigned char, head_bytes> begin{};
    const std::size_t got = std::fread(begin.data(), 1, head_bytes, file.get());
    if (std::ferror(file.get()) != 0) return file_failed(path, "read it");
    const auto number = [](const unsigned char* from, int bytes) {
      std::uint64_t value = 0;
      for (int byte = bytes; byte-- > 0;) value = value << 8 | from[byte];
      return value;
    };
    if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>((std::min)(got, magic.size())),
                    begin.begin(), [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }) ||
        got == 0)
      return file_malformed(path, 0, "it is no checkpoint of a network");
    if (got < head_bytes)
      return file_malformed(path, got, "it ends after " + std::to_string(got) + " bytes of its head");
    if (const std::uint64_t found = number(begin.data() + 8, 8); found != version)
      return file_malformed(path, 8,
                            "it is of version " + std::to_string(found) + ", and this is " + std::to_string(version));
    const std::uint64_t length = number(begin.data() + 16, 8), digest = number(begin.data() + 24, 8);
    WordDigest own;
    std::uint64_t bytes = 0;
    std::size_t size;
    while ((size = std::fread(buffer.data(), 1, buffer.size(), file.get())) != 0) {
      bytes += size;
      for (std::size_t at = 0; at + 4 <= size; at += 4) {
        words.push_back(static_cast<std::uint32_t>(number(buffer.data() + at, 4)));
        own.add(words.back());
      }
    }
    if (std::ferror(file.get()) != 0) return file_failed(path, "read all of it");
    if (bytes / 4 != length || bytes % 4 != 0)
      return file_malformed(path, head_bytes + bytes,
                            "it has " + std::to_string(head_bytes + bytes) +
                                " bytes, and says that it has 32 and 4 times " + std::to_string(length));
    if (own.value() != digest) return file_malformed(path, 24, "its words are not those that were written");
    return {};
  }

  /// What must be the same: settings, then a digest for each population and for each projection.
  [[nodiscard]] static std::vector<std::uint64_t> identity(const Engine::State& state) {
    const Network& network = state.network;
    const auto& populations = network.populations();
    const auto& projections = network.projections();
    std::vector<std::uint64_t> all{std::bit_cast<std::uint64_t>(network.settings().dt_ms), network.settings().seed,
                                   std::uint64_t{projections.size()} << 32 | populations.size()};
    for (std::uint32_t at = 0; at < populations.size(); ++at) all.push_back(digest_of(network, at));
    for (std::size_t at = 0; at < projections.size(); ++at) {
      const Projection& one = projections[at];
      WordDigest digest;
      digest.add(std::uint32_t(one.source)), digest.add(std::uint32_t(one.target)), digest.add(one.synapses.receptor);
      digest.add_wide(state.rows.synapses[at]);
      if (const auto& rule = one.synapses.plasticity; rule != nullptr) {
        digest.add(rule->words().header), digest.add(rule->words().of_synapse);
        digest.add_real(rule->range().lowest), digest.add_real(rule->range().highest);
      }
      all.push_back(digest.value());
    }
    all.push_back(digest_of_some(state.rows));
    return all;
  }
  /// Of about a million synapses, without weights that change.
  [[nodiscard]] static std::uint64_t digest_of_some(const Rows& rows) {
    const std::uint64_t every = (rows.total() >> 20) + 1;
    std::uint64_t sum = 0;
    for (const RowSet& set : rows.sets)
      for (std::uint32_t part = rows.own.first; part < rows.own.end; ++part)
        for (std::uint64_t at = 0; at < rows.sources_of(set); at += every) {
          const auto source = static_cast<std::uint32_t>(at);
          set.each(set.row(source, part), [&](const ArrivingSynapse& one) {
            const Parts::Neuron target = rows.parts.neuron(part, one.target);
            sum += Rows::hash(set.population, source, target.population, target.neuron, one.receptor,
                              set.layout == Layout::plastic ? 0 : one.weight, one.delay);
          });
        }
    return sum;
  }
  /// \param at  what of the identity differs
  [[nodiscard]] static Refusal other_network(const Engine::State& state, const std::string& path, std::size_t at,
                                             std::size_t size) {
    const Network& network = state.network;
    const std::string what = at + 1 == size ? "it has other synapses" : difference(network, at);
    return {{Error::parameters_contradict, 0, at, "network"}, path, "it is of another network: " + what};
  }

  template <class Archive>
  static void wide(Archive& archive, std::uint64_t& value) {
    auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
    archive.word(low), archive.word(high);
    value = low | std::uint64_t{high} << 32;
  }

  /// All of the state, written, looked at, or read.
  template <class Archive>
  static void pass(Engine::State& state, Archive& archive) {
    std::uint64_t time = state.time;
    if constexpr (Archive::writes)
      wide(archive, time);
    else
      time = archive.size(0), time |= std::uint64_t{archive.size(0)} << 32;
    pass_counts(state, archive);
    for (std::uint32_t at = 0; at < state.network.populations().size(); ++at) {
      pass_neurons(state, archive, at, time);
      pass_draws(state, archive, at);
    }
    pass_learners(state, archive, time);
    pass_rows(state, archive);
    pass_spikes(state, archive, time);
    if constexpr (Archive::applies) state.time = time;
  }
  template <class Archive>
  static void pass_counts(Engine::State& state, Archive& archive) {
    PartCounts sum;
    std::uint64_t history = 0;
    for (const auto& part : state.parts) {
      const PartCounts& one = part->counts_;
      sum.delivered.events += one.delivered.events, sum.delivered.held += one.delivered.held;
      sum.spikes += one.spikes, sum.background += one.background, sum.background_held += one.background_held;
      sum.saturations += one.saturations, history += part->history_;
    }
    for (std::uint64_t* const one : {&sum.delivered.events, &sum.delivered.held, &sum.spikes, &sum.background,
                                     &sum.background_held, &sum.saturations, &history})
      wide(archive, *one);
    if constexpr (Archive::applies) {
      for (const auto& part : state.parts) part->counts_ = {}, part->history_ = 0;
      state.parts[0]->counts_ = sum, state.parts[0]->history_ = history;
    }
  }
  template <class Archive>
  static void pass_neurons(Engine::State& state, Archive& archive, std::uint32_t at, std::uint64_t time) {
    const Population& population = state.network.populations()[at];
    if (population.model == nullptr) {
      if constexpr (Archive::applies)
        for (const auto& part : state.parts) {
          Part::Member& member = part->members_[at];
          member.next_time =
              static_cast<std::size_t>(std::find_if(member.times.begin(), member.times.end(),
                                                    [&](const Part::Due& due) { return due.step > time; }) -
                                       member.times.begin());
        }
      return;
    }
    for (std::size_t place = 0; place < population.model->word_count(); ++place)
      for (const auto& part : state.parts)
        for (std::int32_t& word : part->members_[at].neurons->words_to_change(place)) {
          auto bits = static_cast<std::uint32_t>(word);
          archive.word(bits);
          if constexpr (Archive::applies) word = static_cast<std::int32_t>(bits);
        }
    std::vector<Neurons::Waiting> waiting;
    if constexpr (Archive::writes) {
      for (const auto& part : state.parts) {
        const std::size_t before = waiting.size();
        part->members_[at].neurons->waiting(waiting);
        for (std::size_t one = before; one < waiting.size(); ++one) waiting[one].neuron += part->members_[at].first;
      }
      std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.neuron < b.neuron; });
    }
    const std::uint32_t size = archive.size(waiting.size());
    if (size > population.count) archive.fail();
    if (!archive.has_room(3 * std::uint64_t{size})) return;
    waiting.resize(size);
    for (Neurons::Waiting& one : waiting) {
      one.neuron = value(archive, one.neuron), one.due = value(archive, one.due), one.again = value(archive, one.again);
      if (one.neuron >= population.count || one.again > 0xFFFF) return archive.fail();
    }
    if constexpr (Archive::applies)
      for (const auto& part : state.parts) {
        const Part::Member& member = part->members_[at];
        std::vector<Neurons::Waiting> own;
        for (const Neurons::Waiting& one : waiting)
          if (one.neuron >= member.first && one.neuron - member.first < member.count)
            own.push_back({one.neuron - member.first, one.due, one.again});
        member.neurons->set_waiting(static_cast<std::uint32_t>(time), own);
      }
  }
  /// A word that is wanted in any case.
  template <class Archive>
  [[nodiscard]] static std::uint32_t value(Archive& archive, std::uint32_t own) {
    if constexpr (Archive::applies || Archive::writes) {
      archive.word(own);
      return own;
    } else {
      return archive.size(own);
    }
  }
  template <class Archive>
  static void pass_draws(Engine::State& state, Archive& archive, std::uint32_t at) {
    const auto pass_one = [&](PoissonInput& input) {
      for (Sfc32x16& source : input.sources()) {
        Sfc32x16::State words = source.state();
        for (std::size_t lane = 0; lane < Sfc32x16::lanes; ++lane) {
          archive.word(words.columns.a[lane]), archive.word(words.columns.b[lane]);
          archive.word(words.columns.c[lane]), archive.word(words.columns.counter[lane]);
        }
        archive.word(words.turn);
        source = Sfc32x16(words);
      }
    };
    for (std::size_t which = 0; which < state.network.populations()[at].background.size(); ++which)
      for (const auto& part : state.parts) pass_one(part->members_[at].drives[which].input);
    for (const auto& part : state.parts)
      if (part->members_[at].is_random) pass_one(part->members_[at].input);
  }
  template <class Archive>
  static void pass_learners(Engine::State& state, Archive& archive, std::uint64_t time) {
    for (std::size_t number = 0; number < state.parts[0]->learners_.size(); ++number) {
      LearningCounts sum;
      for (const auto& part : state.parts) {
        const LearningCounts one = part->learners_[number].learner->counts();
        sum.held_at_highest += one.held_at_highest, sum.held_at_lowest += one.held_at_lowest;
        sum.held_traces += one.held_traces;
      }
      for (std::uint64_t* const one : {&sum.held_at_highest, &sum.held_at_lowest, &sum.held_traces})
        wide(archive, *one);
      const std::uint32_t known_after = value(archive, state.parts[0]->learners_[number].learner->known_after());
      if constexpr (Archive::applies)
        for (const auto& part : state.parts) {
          Learner& learner = *part->learners_[number].learner;
          learner.begin_again(known_after, static_cast<std::uint32_t>(time),
                              part == state.parts[0] ? sum : LearningCounts{});
        }
      const std::size_t width = state.parts[0]->learners_[number].learner->event_words();
      std::vector<std::uint32_t> events;
      for (std::uint32_t at = 0; at < state.network.populations().size(); ++at) {
        if (state.network.populations()[at].model == nullptr) continue;
        for (std::uint32_t part = 0; part < state.parts.size(); ++part) {
          Learner& learner = *state.parts[part]->learners_[number].learner;
          const std::uint32_t base = state.rows.parts.base(part, at);
          for (std::uint32_t neuron = 0; neuron < state.parts[part]->members_[at].count; ++neuron) {
            events.clear();
            if constexpr (Archive::writes) learner.events(base + neuron, events);
            const std::uint64_t size = archive.size(events.size() / width);
            if (!archive.has_room(size * width)) return;
            events.resize(size * width);
            for (std::uint32_t& word : events) archive.word(word);
            if constexpr (Archive::applies) learner.add_events(base + neuron, events);
          }
        }
      }
    }
  }
  template <class Archive>
  static void pass_rows(Engine::State& state, Archive& archive) {
    struct Run {
      std::uint32_t key, part;
      std::span<std::uint32_t> words;
    };
    struct Synapse {
      std::uint64_t target;
      std::uint32_t* words; ///< its first; others are `stride` apart
      std::size_t stride;
    };
    std::vector<Run> runs;
    std::vector<Synapse> synapses;
    for (RowSet& set : state.rows.sets) {
      if (set.layout != Layout::plastic) continue;
      const PlasticWords& kept = set.plasticity.words;
      for (std::uint32_t source = 0; source < state.rows.sources_of(set); ++source) {
        runs.clear();
        for (std::uint32_t part = 0; part < state.parts.size(); ++part)
          set.each_run(set.row_to_change(source, part), [&](std::span<std::uint16_t> run) {
            runs.push_back({run[1], part, RowSet::words_of(run)});
          });
        std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.key < b.key; });
        for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
          while (end < runs.size() && runs[end].key == runs[begin].key) ++end;
          const std::span<const Run> same(runs.data() + begin, end - begin);
          for (std::size_t word = 1; word < kept.header; ++word) { // all parts have had the same spikes of the source
            archive.word(same[0].words[word]);
            if constexpr (Archive::applies)
              for (const Run& one : same) one.words[word] = same[0].words[word];
          }
          synapses.clear();
          for (const Run& one : same) {
            const std::size_t count = (one.words.size() - kept.header) / kept.of_synapse;
            for (std::size_t at = 0; at < count; ++at) {
              std::uint32_t* const words = one.words.data() + kept.header + at;
              const Parts::Neuron target = state.rows.parts.neuron(one.part, *words & 0xFFFF);
              synapses.push_back({std::uint64_t{target.population} << 32 | target.neuron, words, count});
            }
          }
          std::stable_sort(synapses.begin(), synapses.end(),
                           [](const Synapse& a, const Synapse& b) { return a.target < b.target; });
          for (const Synapse& one : synapses) {
            std::uint32_t weight = *one.words >> 16;
            archive.word(weight);
            if constexpr (Archive::applies) *one.words = weight << 16 | (*one.words & 0xFFFF);
            for (std::size_t word = 1; word < kept.of_synapse; ++word) archive.word(one.words[word * one.stride]);
          }
        }
      }
    }
  }
  /// Spikes whose synaptic events may be under way: they are delivered again, to what has not been reached.
  template <class Archive>
  static void pass_spikes(Engine::State& state, Archive& archive, std::uint64_t time) {
    const std::uint32_t longest = state.parts[0]->longest_delay_;
    if constexpr (Archive::applies)
      for (const auto& part : state.parts) part->forget_spikes(static_cast<std::uint32_t>(time));
    std::vector<RecentSpike> spikes;
    for (std::uint32_t back = longest; back-- > 0;) {
      if (back >= time) continue;
      const auto step = static_cast<std::uint32_t>(time - back);
      spikes.clear();
      if constexpr (Archive::writes) {
        for (const auto& part : state.parts) {
          const auto& own = part->recent(step);
          spikes.insert(spikes.end(), own.begin(), own.end());
        }
        std::sort(spikes.begin(), spikes.end());
      }
      const std::uint32_t size = archive.size(spikes.size());
      if (!archive.has_room(2 * std::uint64_t{size})) return;
      spikes.resize(size);
      for (RecentSpike& one : spikes) {
        one.population = value(archive, one.population), one.neuron = value(archive, one.neuron);
        if (one.population >= state.network.populations().size() ||
            one.neuron >= state.network.populations()[one.population].count)
          return archive.fail();
      }
      if constexpr (Archive::applies)
        for (const auto& part : state.parts) part->take_again(spikes, step, static_cast<std::uint32_t>(time));
    }
  }
};

} // namespace detail

/// Writes the state of an engine: to another name first, so that an older file of this name stays until this one is whole.
/// \pre    it is not running
/// \errors file_failed
/// \cost   4 bytes for each word of a neuron, 8 for a plastic synapse, 260 for 64 neurons with Poisson input
[[nodiscard]] inline Refusal save(const Engine& engine, const std::string& path) {
  return detail::Checkpoint::save(engine, path);
}

/// Puts an engine into a state that was saved of the same network: time, words, events under way, draws, learning, counts.
/// \pre    it is not running
/// \errors file_failed; file_malformed: no checkpoint, cut off, changed, of another version; parameters_contradict: of another
///         network, as far as settings, populations, projections and a million synapses tell
/// \cost   as much memory as the file is long, while it lasts
[[nodiscard]] inline Refusal load(Engine& engine, const std::string& path) {
  return detail::Checkpoint::load(engine, path);
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
