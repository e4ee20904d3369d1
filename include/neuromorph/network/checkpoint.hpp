// SPDX-License-Identifier: BSL-1.0
/// \file
/// The state of an engine in a file, from which the same network goes on, bit for bit.
///
///     if (const auto refused = network::save(engine, "run.nmc"); !refused) ...
///     if (const auto refused = network::load(other, "run.nmc"); !refused) ...
///
/// The description is not saved: who loads makes an engine of the same network, with any ranks, threads, parts, layouts and
/// delivery. Neither recorders nor inputs are saved. What cannot be loaded changes nothing, on no rank.
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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/network/detail/description.hpp>
#include <neuromorph/network/detail/output_file.hpp>
#include <neuromorph/network/detail/part.hpp>
#include <neuromorph/network/detail/ranks.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Words of a state on their way to a file; of ranks but the first they go nowhere.
class StateWriter {
public:
  explicit StateWriter(OutputFile* file) : file_(file) {}
  [[nodiscard]] bool has_file() const noexcept { return file_ != nullptr; }
  void word(std::uint32_t value) {
    if (file_ == nullptr) return;
    digest_.add(value);
    for (int byte = 0; byte < 4; ++byte) bytes_.push_back(static_cast<char>(value >> 8 * byte & 0xFF));
    ++words_;
    if (bytes_.size() >= buffer_bytes) flush();
  }
  void wide(std::uint64_t value) {
    word(static_cast<std::uint32_t>(value)), word(static_cast<std::uint32_t>(value >> 32));
  }
  void words(std::span<const std::uint32_t> some) {
    for (const std::uint32_t one : some) word(one);
  }
  void flush() {
    static_cast<void>(file_->write(bytes_)); // what fails is said by close
    bytes_.clear();
  }
  [[nodiscard]] std::uint64_t words() const noexcept { return words_; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }

private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  OutputFile* file_;
  std::string bytes_{};
  WordDigest digest_{};
  std::uint64_t words_ = 0;
};

/// The words of a file, from the first on.
class StateReader {
public:
  explicit StateReader(std::span<const std::uint32_t> words) noexcept : words_(words) {}
  [[nodiscard]] std::uint32_t word() noexcept {
    if (at_ < words_.size()) return words_[at_++];
    has_failed_ = true;
    return 0;
  }
  [[nodiscard]] std::uint64_t wide() noexcept {
    const std::uint64_t low = word();
    return low | std::uint64_t{word()} << 32;
  }
  /// None where there are not so many.
  [[nodiscard]] std::span<const std::uint32_t> words(std::uint64_t count) noexcept {
    if (count > words_.size() - at_) fail();
    if (has_failed_) return {};
    at_ += static_cast<std::size_t>(count);
    return words_.subspan(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }
  void fail() noexcept { has_failed_ = true; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
  [[nodiscard]] bool is_whole() const noexcept { return !has_failed_ && at_ == words_.size(); }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
  std::span<const std::uint32_t> words_;
  std::size_t at_ = 0;
  bool has_failed_ = false;
};

/// What a file and an engine agree on. All is by population and neuron, so that parts and ranks do not show.
///
/// To save, ranks give what is theirs of each piece to all, and the first writes it in order. To load, each reads all of the
/// file, once to see whether it fits, and once to take what is its own.
class Checkpoint {
public:
  [[nodiscard]] static Refusal save(const Engine& engine, const std::string& path) {
    Engine::State& state = *engine.state_;
    if (!state.broken) return state.broken;
    const bool is_first = state.ranks.rank() == 0;
    const std::string unfinished = path + ".part";
    std::optional<Answer<OutputFile>> created;
    if (is_first) created.emplace(OutputFile::create(unfinished, true));
    if (Refusal refusal = agree(state, created && !*created ? created->refusal() : Refusal{}); !refusal) return refusal;
    OutputFile* const file = is_first ? &created->value() : nullptr;
    if (is_first) static_cast<void>(file->write(std::string(head_bytes, '\0')));
    StateWriter writer(file);
    Refusal refusal = save(state, writer);
    if (is_first) {
      writer.flush();
      static_cast<void>(file->write_head(head(writer.words(), writer.digest())));
      Refusal closed = file->close();
      if (refusal) refusal = std::move(closed);
      if (refusal && std::rename(unfinished.c_str(), path.c_str()) != 0) refusal = file_failed(path, "replace it");
      if (!refusal) std::remove(unfinished.c_str());
    }
    if (!state.broken) return refusal;
    return agree(state, refusal);
  }

  [[nodiscard]] static Refusal load(Engine& engine, const std::string& path) {
    Engine::State& state = *engine.state_;
    std::vector<std::uint64_t> own;
    if (!state.broken) return state.broken;
    if (Refusal refusal = identity(state, own); !refusal) return refusal;
    std::vector<std::uint32_t> words;
    std::span<const std::uint32_t> rest;
    const auto look = [&]() -> Refusal {
      if (Refusal refusal = read(path, words); !refusal) return refusal;
      rest = words;
      for (std::size_t at = 0; at < own.size(); ++at) {
        if (rest.size() < 2) return other_network(state, path, 0, own.size());
        if ((rest[0] | std::uint64_t{rest[1]} << 32) != own[at]) return other_network(state, path, at, own.size());
        rest = rest.subspan(2);
      }
      StateReader reader(rest);
      load(state, reader, false);
      if (!reader.is_whole())
        return file_malformed(path, head_bytes + 4 * (words.size() - rest.size() + reader.at()),
                              "what it holds does not fit this network");
      return {};
    };
    if (Refusal refusal = agree(state, look()); !refusal) return refusal;
    StateReader reader(rest);
    load(state, reader, true);
    return {};
  }

private:
  static constexpr std::uint32_t version = 3;
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

  /// Whether no rank refuses, which all know then.
  [[nodiscard]] static Refusal agree(Engine::State& state, Refusal own) {
    static_cast<void>(state.ranks.open(Talk::save, own));
    if (Refusal refusal = Engine::exchange(state); !refusal) return refusal;
    return own ? state.ranks.heard() : own;
  }
  /// Lets each rank write what it adds to a piece, and all read it.
  template <class Fill>
  [[nodiscard]] static Refusal gather(Engine::State& state, Fill fill) {
    fill(state.ranks.open(Talk::save));
    return Engine::exchange(state);
  }
  /// The sums over all ranks.
  [[nodiscard]] static Refusal sum(Engine::State& state, std::span<std::uint64_t> numbers) {
    Refusal refusal = gather(state, [&](MessageWriter writer) {
      for (const std::uint64_t one : numbers) writer.wide(one);
    });
    for (std::uint64_t& one : numbers) one = 0;
    for (unsigned rank = 0; refusal && rank < state.ranks.count(); ++rank)
      for (std::uint64_t& one : numbers) one += state.ranks.from(rank).wide();
    return refusal;
  }
  /// What must be the same: settings, then a digest for each population and for each projection.
  [[nodiscard]] static Refusal identity(Engine::State& state, std::vector<std::uint64_t>& all) {
    const Network& network = state.network;
    const auto& populations = network.populations();
    const auto& projections = network.projections();
    all = {std::bit_cast<std::uint64_t>(network.settings().dt_ms), network.settings().seed,
           std::uint64_t{projections.size()} << 32 | populations.size()};
    std::vector<std::uint64_t> constants(populations.size()), synapses = state.rows.synapses;
    for (const auto& part : state.parts)
      for (std::uint32_t at = 0; at < populations.size(); ++at)
        if (const auto& neurons = part->members_[at].neurons; neurons != nullptr)
          constants[at] += neurons->digest_of_constants();
    if (Refusal refusal = sum(state, constants); !refusal) return refusal;
    for (std::uint32_t at = 0; at < populations.size(); ++at) all.push_back(digest_of(network, at) + constants[at]);
    if (Refusal refusal = sum(state, synapses); !refusal) return refusal;
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < projections.size(); ++at) {
      const Projection& one = projections[at];
      WordDigest digest;
      digest.add(std::uint32_t(one.source)), digest.add(std::uint32_t(one.target)), digest.add(one.synapses.receptor);
      digest.add_wide(synapses[at]);
      total += synapses[at];
      add(one.synapses.plasticity.get(), network.settings().dt_ms, digest);
      all.push_back(digest.value());
    }
    all.push_back(digest_of_some(state.rows, total));
    return sum(state, std::span(all).last(1));
  }
  /// Of about a million synapses of all ranks those that are here, without weights that change.
  [[nodiscard]] static std::uint64_t digest_of_some(const Rows& rows, std::uint64_t total) {
    const std::uint64_t every = (total >> 20) + 1;
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

  /// All of the state.
  [[nodiscard]] static Refusal save(Engine::State& state, StateWriter& writer) {
    std::vector<std::uint64_t> own;
    if (Refusal refusal = identity(state, own); !refusal) return refusal;
    for (const std::uint64_t one : own) writer.wide(one);
    writer.wide(state.time);
    if (Refusal refusal = save_counts(state, writer); !refusal) return refusal;
    for (std::uint32_t at = 0; at < state.network.populations().size(); ++at)
      if (Refusal refusal = save_population(state, writer, at); !refusal) return refusal;
    for (std::size_t number = 0; number < state.parts[0]->learners_.size(); ++number)
      if (Refusal refusal = save_learner(state, writer, number); !refusal) return refusal;
    for (RowSet& set : state.rows.sets)
      if (set.layout == Layout::plastic)
        if (Refusal refusal = save_rows(state, writer, set); !refusal) return refusal;
    return save_spikes(state, writer);
  }
  /// \param is_applied  else nothing is changed: whether it fits is known before anything is
  static void load(Engine::State& state, StateReader& reader, bool is_applied) {
    const std::uint64_t time = reader.wide();
    load_counts(state, reader, is_applied);
    for (std::uint32_t at = 0; at < state.network.populations().size(); ++at)
      load_population(state, reader, at, time, is_applied);
    for (std::size_t number = 0; number < state.parts[0]->learners_.size() && !reader.has_failed(); ++number)
      load_learner(state, reader, number, time, is_applied);
    for (RowSet& set : state.rows.sets)
      if (set.layout == Layout::plastic) load_rows(state, reader, set, is_applied);
    load_spikes(state, reader, time, is_applied);
    if (is_applied) state.time = time;
  }
  /// How many neurons of a population a part has, also of those that are on other ranks.
  [[nodiscard]] static std::uint32_t count_of(const Engine::State& state, std::uint32_t at,
                                              std::uint32_t part) noexcept {
    return state.rows.parts.first(at, part + 1) - state.rows.parts.first(at, part);
  }
  /// A part of this rank by its number among all; none if it is another's.
  [[nodiscard]] static Part* own_part(const Engine::State& state, std::uint32_t part) noexcept {
    return state.rows.own.has(part) ? state.parts[part - state.rows.own.first].get() : nullptr;
  }
  /// All that ranks gave, one after the other.
  static void write_all(Engine::State& state, StateWriter& writer) {
    for (unsigned rank = 0; rank < state.ranks.count(); ++rank) writer.words(state.ranks.from(rank).rest());
  }

  [[nodiscard]] static Refusal save_counts(Engine::State& state, StateWriter& writer) {
    std::array<std::uint64_t, 7> sums{};
    for (const auto& part : state.parts) {
      const PartCounts& one = part->counts_;
      const std::array<std::uint64_t, 7> own{one.delivered.events, one.delivered.held, one.spikes,    one.background,
                                             one.background_held,  one.saturations,    part->history_};
      for (std::size_t at = 0; at < own.size(); ++at) sums[at] += own[at];
    }
    Refusal refusal = sum(state, sums);
    for (const std::uint64_t one : sums) writer.wide(one);
    return refusal;
  }
  static void load_counts(Engine::State& state, StateReader& reader, bool is_applied) {
    PartCounts counts;
    std::uint64_t history = 0;
    for (std::uint64_t* const one : {&counts.delivered.events, &counts.delivered.held, &counts.spikes,
                                     &counts.background, &counts.background_held, &counts.saturations, &history})
      *one = reader.wide();
    if (!is_applied) return;
    for (const auto& part : state.parts) part->counts_ = {}, part->history_ = 0;
    if (state.ranks.rank() == 0) state.parts[0]->counts_ = counts, state.parts[0]->history_ = history;
  }

  [[nodiscard]] static Refusal save_population(Engine::State& state, StateWriter& writer, std::uint32_t at) {
    const Population& population = state.network.populations()[at];
    const std::size_t places = population.model == nullptr ? 0 : population.model->word_count();
    for (std::size_t place = 0; place < places; ++place) {
      if (Refusal refusal = gather(state,
                                   [&](MessageWriter to) {
                                     for (const auto& part : state.parts)
                                       for (const std::int32_t word : part->members_[at].neurons->words(place))
                                         to.word(static_cast<std::uint32_t>(word));
                                   });
          !refusal)
        return refusal;
      write_all(state, writer);
    }
    if (population.model != nullptr) {
      std::vector<Neurons::Waiting> waiting;
      for (const auto& part : state.parts) {
        const std::size_t before = waiting.size();
        part->members_[at].neurons->waiting(waiting);
        for (std::size_t one = before; one < waiting.size(); ++one) waiting[one].neuron += part->members_[at].first;
      }
      std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.neuron < b.neuron; });
      if (Refusal refusal = gather(state,
                                   [&](MessageWriter to) {
                                     for (const Neurons::Waiting& one : waiting)
                                       to.word(one.neuron), to.word(one.due), to.word(one.again);
                                   });
          !refusal)
        return refusal;
      std::size_t words = 0;
      for (unsigned rank = 0; rank < state.ranks.count(); ++rank) words += state.ranks.from(rank).rest().size();
      writer.word(static_cast<std::uint32_t>(words / 3));
      write_all(state, writer);
    }
    const auto save_draws = [&](auto input_of) {
      Refusal refusal = gather(state, [&](MessageWriter to) {
        for (const auto& part : state.parts)
          for (const Sfc32x16& source : input_of(part->members_[at]).sources()) {
            const Sfc32x16::State words = source.state();
            for (std::size_t lane = 0; lane < Sfc32x16::lanes; ++lane) {
              to.word(words.columns.a[lane]), to.word(words.columns.b[lane]);
              to.word(words.columns.c[lane]), to.word(words.columns.counter[lane]);
            }
            to.word(words.turn);
          }
      });
      if (refusal) write_all(state, writer);
      return refusal;
    };
    for (std::size_t which = 0; which < population.background.size(); ++which)
      if (Refusal refusal = save_draws([&](auto& member) -> PoissonInput& { return member.drives[which].input; });
          !refusal)
        return refusal;
    if (!fires_by_chance(population)) return {};
    return save_draws([](auto& member) -> PoissonInput& { return member.input; });
  }
  [[nodiscard]] static bool fires_by_chance(const Population& population) noexcept {
    return population.model == nullptr && population.poisson_hz != 0.0;
  }
  static void load_population(Engine::State& state, StateReader& reader, std::uint32_t at, std::uint64_t time,
                              bool is_applied) {
    const Population& population = state.network.populations()[at];
    const std::uint32_t parts = state.rows.parts.count();
    const std::size_t places = population.model == nullptr ? 0 : population.model->word_count();
    for (std::size_t place = 0; place < places; ++place)
      for (std::uint32_t number = 0; number < parts; ++number) {
        const auto words = reader.words(count_of(state, at, number));
        Part* const part = own_part(state, number);
        if (part == nullptr || !is_applied) continue;
        auto to = part->members_[at].neurons->words_to_change(place).begin();
        for (const std::uint32_t word : words) *to++ = static_cast<std::int32_t>(word);
      }
    if (population.model != nullptr) {
      std::vector<Neurons::Waiting> waiting;
      const auto words = reader.words(3 * std::uint64_t{reader.word()});
      for (std::size_t one = 0; one + 3 <= words.size(); one += 3) {
        waiting.push_back({words[one], words[one + 1], words[one + 2]});
        if (words[one] >= population.count || words[one + 2] > 0xFFFF) return reader.fail();
      }
      for (const auto& part : state.parts) {
        if (!is_applied) break;
        const Part::Member& member = part->members_[at];
        std::vector<Neurons::Waiting> own;
        for (const Neurons::Waiting& one : waiting)
          if (one.neuron >= member.first && one.neuron - member.first < member.count)
            own.push_back({one.neuron - member.first, one.due, one.again});
        member.neurons->set_waiting(static_cast<std::uint32_t>(time), own);
      }
    } else if (is_applied) {
      for (const auto& part : state.parts) {
        Part::Member& member = part->members_[at];
        member.next_time = static_cast<std::size_t>(std::find_if(member.times.begin(), member.times.end(),
                                                                 [&](const DueSpike& due) { return due.step > time; }) -
                                                    member.times.begin());
      }
    }
    const auto load_draws = [&](auto input_of) {
      for (std::uint32_t number = 0; number < parts; ++number) {
        Part* const part = own_part(state, number);
        const std::uint32_t groups = (count_of(state, at, number) + neurons_of_group - 1) / neurons_of_group;
        for (std::uint32_t group = 0; group < groups; ++group) {
          const auto words = reader.words(4 * Sfc32x16::lanes + 1);
          if (part == nullptr || !is_applied || words.empty()) continue;
          Sfc32x16::State state_of_group{};
          for (std::size_t lane = 0; lane < Sfc32x16::lanes; ++lane) {
            state_of_group.columns.a[lane] = words[4 * lane], state_of_group.columns.b[lane] = words[4 * lane + 1];
            state_of_group.columns.c[lane] = words[4 * lane + 2],
            state_of_group.columns.counter[lane] = words[4 * lane + 3];
          }
          state_of_group.turn = words[4 * Sfc32x16::lanes];
          input_of(part->members_[at]).sources()[group] = Sfc32x16(state_of_group);
        }
      }
    };
    for (std::size_t which = 0; which < population.background.size(); ++which)
      load_draws([&](auto& member) -> PoissonInput& { return member.drives[which].input; });
    if (fires_by_chance(population)) load_draws([](auto& member) -> PoissonInput& { return member.input; });
  }

  [[nodiscard]] static Refusal save_learner(Engine::State& state, StateWriter& writer, std::size_t number) {
    std::array<std::uint64_t, 3> sums{};
    for (const auto& part : state.parts) {
      const LearningCounts one = part->learners_[number].learner->counts();
      sums[0] += one.held_at_highest, sums[1] += one.held_at_lowest, sums[2] += one.held_traces;
    }
    if (Refusal refusal = sum(state, sums); !refusal) return refusal;
    for (const std::uint64_t one : sums) writer.wide(one);
    const Learner& first = *state.parts[0]->learners_[number].learner;
    writer.word(first.known_after()); // the same in all parts
    std::vector<std::uint32_t> events;
    for (std::uint32_t at = 0; at < state.network.populations().size(); ++at) {
      if (state.network.populations()[at].model == nullptr) continue;
      Refusal refusal = gather(state, [&](MessageWriter to) {
        for (std::uint32_t part = state.rows.own.first; part < state.rows.own.end; ++part)
          for (std::uint32_t neuron = 0; neuron < count_of(state, at, part); ++neuron) {
            events.clear();
            own_part(state, part)->learners_[number].learner->events(state.rows.parts.base(part, at) + neuron, events);
            to.word(static_cast<std::uint32_t>(events.size() / first.event_words()));
            to.words(events);
          }
      });
      if (!refusal) return refusal;
      write_all(state, writer);
    }
    return {};
  }
  static void load_learner(Engine::State& state, StateReader& reader, std::size_t number, std::uint64_t time,
                           bool is_applied) {
    LearningCounts sum;
    for (std::uint64_t* const one : {&sum.held_at_highest, &sum.held_at_lowest, &sum.held_traces}) *one = reader.wide();
    const std::uint32_t known_after = reader.word();
    if (is_applied)
      for (const auto& part : state.parts)
        part->learners_[number].learner->begin_again(
            known_after, static_cast<std::uint32_t>(time),
            part == state.parts[0] && state.ranks.rank() == 0 ? sum : LearningCounts{});
    const std::size_t width = state.parts[0]->learners_[number].learner->event_words();
    for (std::uint32_t at = 0; at < state.network.populations().size(); ++at) {
      if (state.network.populations()[at].model == nullptr) continue;
      for (std::uint32_t part = 0; part < state.rows.parts.count(); ++part)
        for (std::uint32_t neuron = 0; neuron < count_of(state, at, part) && !reader.has_failed(); ++neuron) {
          const auto events = reader.words(width * std::uint64_t{reader.word()});
          if (Part* const own = own_part(state, part); own != nullptr && is_applied)
            own->learners_[number].learner->add_events(state.rows.parts.base(part, at) + neuron, events);
        }
    }
  }

  /// The plastic synapses of a source that arrive alike, from any parts.
  struct Run {
    std::uint32_t key;
    std::size_t part; ///< before which others come
    std::span<std::uint32_t> words;
  };
  struct Synapse {
    std::uint32_t target; ///< its number among the neurons of all populations
    std::uint32_t* words; ///< its first; others are `stride` apart
    std::size_t stride;
  };
  /// The runs of a source that are here, ascending by key.
  static void runs_of(Engine::State& state, RowSet& set, std::uint32_t source, std::vector<Run>& runs) {
    runs.clear();
    for (std::uint32_t part = state.rows.own.first; part < state.rows.own.end; ++part)
      set.each_run(set.row_to_change(source, part), [&](std::span<std::uint16_t> run) {
        runs.push_back({run[1], part, RowSet::words_of(run)});
      });
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.key < b.key; });
  }
  /// The synapses of runs of one key, ascending by target; those of a pair as they were drawn.
  static void synapses_of(const Engine::State& state, const RowSet& set, std::span<const Run> same,
                          std::span<const std::uint32_t> before, std::vector<Synapse>& synapses) {
    const PlasticWords& kept = set.plasticity.words;
    synapses.clear();
    for (const Run& one : same) {
      const std::size_t count = (one.words.size() - kept.header) / kept.of_synapse;
      for (std::size_t at = 0; at < count; ++at) {
        std::uint32_t* const words = one.words.data() + kept.header + at;
        const Parts::Neuron target = state.rows.parts.neuron(static_cast<std::uint32_t>(one.part), *words & 0xFFFF);
        synapses.push_back({before[target.population] + target.neuron, words, count});
      }
    }
    std::stable_sort(synapses.begin(), synapses.end(),
                     [](const Synapse& a, const Synapse& b) { return a.target < b.target; });
  }
  /// [populations] how many neurons of all come before.
  [[nodiscard]] static std::vector<std::uint32_t> numbers_before(const Network& network) {
    std::vector<std::uint32_t> before{0};
    for (const Population& one : network.populations()) before.push_back(before.back() + one.count);
    return before;
  }
  /// Runs of a key from `begin` on.
  [[nodiscard]] static std::span<const Run> same_key(std::span<const Run> runs, std::size_t begin) noexcept {
    std::size_t end = begin;
    while (end < runs.size() && runs[end].key == runs[begin].key) ++end;
    return runs.subspan(begin, end - begin);
  }

  /// Of each source: how many keys; of each key: itself, the words of its header, how many synapses; of each: its target, its
  /// weight, and what else is kept.
  [[nodiscard]] static Refusal save_rows(Engine::State& state, StateWriter& writer, RowSet& set) {
    const std::vector<std::uint32_t> before = numbers_before(state.network);
    const PlasticWords& kept = set.plasticity.words;
    const std::uint32_t sources = state.rows.sources_of(set);
    std::array<std::uint64_t, 1> bytes{set.bytes()};
    if (Refusal refusal = sum(state, bytes); !refusal) return refusal;
    const std::uint64_t of_source = bytes[0] / (std::max)(sources, 1U) + 1;
    const auto at_once =
        static_cast<std::uint32_t>((std::min)((std::uint64_t{1} << 22) / of_source + 1, std::uint64_t{sources} + 1));
    std::vector<Run> runs;
    std::vector<Synapse> synapses;
    struct Piece { // of a key and a rank
      std::uint32_t key;
      std::span<const std::uint32_t> header, synapses;
    };
    std::vector<Piece> pieces;
    const std::size_t header = kept.header - 1, width = kept.of_synapse + std::size_t{1};
    for (std::uint32_t first = 0; first < sources; first += at_once) {
      const std::uint32_t end = (std::min)(sources - first, at_once) + first;
      Refusal refusal = gather(state, [&](MessageWriter to) {
        for (std::uint32_t source = first; source < end; ++source) {
          runs_of(state, set, source, runs);
          std::uint32_t keys = 0;
          for (std::size_t at = 0; at < runs.size(); at += same_key(runs, at).size()) ++keys;
          to.word(keys);
          for (std::size_t at = 0; at < runs.size(); at += same_key(runs, at).size()) {
            const auto same = same_key(runs, at);
            synapses_of(state, set, same, before, synapses);
            to.word(same[0].key),
                to.words(same[0].words.subspan(1, header)); // all parts had the same spikes of the source
            to.word(static_cast<std::uint32_t>(synapses.size()));
            for (const Synapse& one : synapses) {
              to.word(one.target), to.word(*one.words >> 16);
              for (std::size_t word = 1; word < kept.of_synapse; ++word) to.word(one.words[word * one.stride]);
            }
          }
        }
      });
      if (!refusal) return refusal;
      if (!writer.has_file()) continue;
      for (std::uint32_t source = first; source < end; ++source) {
        pieces.clear();
        for (unsigned rank = 0; rank < state.ranks.count(); ++rank) {
          MessageReader& from = state.ranks.from(rank);
          for (std::uint32_t keys = from.word(); keys != 0; --keys) {
            Piece piece{from.word(), from.words(header), {}};
            piece.synapses = from.words(width * from.word());
            pieces.push_back(piece);
          }
        }
        std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.key < b.key; });
        const auto next_key = [&](std::size_t at) {
          return static_cast<std::size_t>(std::find_if(pieces.begin() + static_cast<std::ptrdiff_t>(at), pieces.end(),
                                                       [&](const Piece& one) { return one.key != pieces[at].key; }) -
                                          pieces.begin());
        };
        std::uint32_t keys = 0;
        for (std::size_t at = 0; at < pieces.size(); at = next_key(at)) ++keys;
        writer.word(keys);
        for (std::size_t at = 0, next = 0; at < pieces.size(); at = next) {
          next = next_key(at);
          std::vector<std::span<const std::uint32_t>> all;
          for (std::size_t piece = at; piece < next; ++piece)
            for (auto rest = pieces[piece].synapses; !rest.empty(); rest = rest.subspan(width))
              all.push_back(rest.first(width));
          std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
          writer.word(pieces[at].key), writer.words(pieces[at].header);
          writer.word(static_cast<std::uint32_t>(all.size()));
          for (const auto& one : all) writer.words(one);
        }
      }
    }
    return {};
  }
  static void load_rows(Engine::State& state, StateReader& reader, RowSet& set, bool is_applied) {
    const std::vector<std::uint32_t> before = numbers_before(state.network);
    const PlasticWords& kept = set.plasticity.words;
    const std::size_t header = kept.header - 1, width = kept.of_synapse + std::size_t{1};
    const auto is_own = [&](std::uint32_t target) {
      const auto after = std::upper_bound(before.begin(), before.end(), target);
      if (after == before.end()) return false;
      const auto population = static_cast<std::uint32_t>(after - before.begin() - 1);
      return state.rows.own.has(state.rows.parts.part_of(population, target - before[population]));
    };
    std::vector<Run> runs;
    std::vector<Synapse> synapses;
    for (std::uint32_t source = 0; source < state.rows.sources_of(set) && !reader.has_failed(); ++source) {
      runs_of(state, set, source, runs);
      std::size_t at = 0; // of the own runs, ascending as those of the file
      for (std::uint32_t keys = reader.word(); keys != 0 && !reader.has_failed(); --keys) {
        const std::uint32_t key = reader.word();
        const auto words = reader.words(header);
        auto rest = reader.words(width * std::uint64_t{reader.word()});
        std::span<const Run> same;
        if (at < runs.size() && runs[at].key == key) same = same_key(runs, at);
        at += same.size();
        synapses_of(state, set, same, before, synapses);
        if (is_applied)
          for (const Run& one : same) std::copy(words.begin(), words.end(), one.words.begin() + 1);
        auto to = synapses.begin();
        for (; !rest.empty(); rest = rest.subspan(width)) {
          if (to == synapses.end() || to->target != rest[0]) {
            if (is_own(rest[0])) return reader.fail();
            continue;
          }
          if (is_applied) {
            *to->words = rest[1] << 16 | (*to->words & 0xFFFF);
            for (std::size_t word = 1; word < kept.of_synapse; ++word) to->words[word * to->stride] = rest[1 + word];
          }
          ++to;
        }
        if (to != synapses.end()) return reader.fail();
      }
      if (at != runs.size()) return reader.fail();
    }
  }

  /// Spikes whose synaptic events may be under way: they are delivered again, to what has not been reached.
  [[nodiscard]] static Refusal save_spikes(Engine::State& state, StateWriter& writer) {
    const auto steps = (std::min)(std::uint64_t{state.parts[0]->longest_delay_}, state.time);
    Refusal refusal = gather(state, [&](MessageWriter to) {
      for (std::uint64_t back = steps; back-- > 0;) {
        std::uint32_t count = 0;
        const auto step = static_cast<std::uint32_t>(state.time - back);
        for (const auto& part : state.parts) count += static_cast<std::uint32_t>(part->recent(step).size());
        to.word(count);
        for (const auto& part : state.parts)
          for (const RecentSpike& one : part->recent(step)) to.word(one.population), to.word(one.neuron);
      }
    });
    if (!refusal) return refusal;
    std::vector<RecentSpike> spikes;
    for (std::uint64_t back = steps; back-- > 0;) {
      spikes.clear();
      for (unsigned rank = 0; rank < state.ranks.count(); ++rank)
        for (auto words = state.ranks.from(rank).words(2 * std::size_t{state.ranks.from(rank).word()}); !words.empty();
             words = words.subspan(2))
          spikes.push_back({words[0], words[1]});
      std::sort(spikes.begin(), spikes.end());
      writer.word(static_cast<std::uint32_t>(spikes.size()));
      for (const RecentSpike& one : spikes) writer.word(one.population), writer.word(one.neuron);
    }
    return {};
  }
  static void load_spikes(Engine::State& state, StateReader& reader, std::uint64_t time, bool is_applied) {
    if (is_applied)
      for (const auto& part : state.parts) part->forget_spikes(static_cast<std::uint32_t>(time));
    if (is_applied) state.remote.begin(static_cast<std::uint32_t>(time), 0);
    const auto& populations = state.network.populations();
    std::vector<RecentSpike> spikes;
    for (std::uint64_t back = (std::min)(std::uint64_t{state.parts[0]->longest_delay_}, time); back-- > 0;) {
      spikes.clear();
      for (auto words = reader.words(2 * std::uint64_t{reader.word()}); !words.empty(); words = words.subspan(2)) {
        if (words[0] >= populations.size() || words[1] >= populations[words[0]].count) return reader.fail();
        spikes.push_back({words[0], words[1]});
      }
      if (is_applied)
        for (const auto& part : state.parts)
          part->take_again(spikes, static_cast<std::uint32_t>(time - back), static_cast<std::uint32_t>(time));
    }
  }
};

} // namespace detail

/// Writes the state of an engine: to another name first, so that an older file of this name stays until this one is whole.
/// All ranks call it; the first writes.
/// \pre    it is not running
/// \errors file_failed; rank_failed
/// \cost   4 bytes for each word of a neuron, 12 for a plastic synapse, 260 for 64 neurons with Poisson input; as much memory
///         as a word of all neurons of a population has
[[nodiscard]] inline Refusal save(const Engine& engine, const std::string& path) {
  return detail::Checkpoint::save(engine, path);
}

/// Puts an engine into a state that was saved of the same network: time, words, events under way, draws, learning, counts.
/// All ranks call it, and each reads the file.
/// \pre    it is not running
/// \errors file_failed; file_malformed: no checkpoint, cut off, changed, of another version; parameters_contradict: of another
///         network, as far as settings, populations, projections and a million synapses tell; rank_failed
/// \cost   as much memory as the file is long, while it lasts
[[nodiscard]] inline Refusal load(Engine& engine, const std::string& path) {
  return detail::Checkpoint::load(engine, path);
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
