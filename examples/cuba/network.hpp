// SPDX-License-Identifier: BSL-1.0
// The CUBA benchmark network: its synapses and its initial state, from a seed or from files.
#ifndef EXAMPLES_CUBA_NETWORK_HPP
#define EXAMPLES_CUBA_NETWORK_HPP

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "cell.hpp"

namespace cuba {

using Word = WordOf<12>;
using Ring = RingOf<12>;

inline constexpr std::uint32_t largest_network = 1U << Word::index_bits;

struct Network {
  std::uint32_t neurons = 0;
  std::uint32_t delay_steps = 0;
  double dt_ms = 0.0;
  Model::Made made;
  std::vector<std::uint32_t> words, first;
  std::vector<std::int32_t> initial; // membrane words
  nm::SynapticRows rows;
};

// Empty when all went well, otherwise one sentence.
using Complaint = std::string;

inline Complaint complaint(const std::string& about, const nm::Status& status) {
  return about + ": " + nm::describe(status.error) + " (" + std::to_string(status.value.whole()) + ")";
}

/// Integration constants and delay for a time step.
inline Complaint set_time_step(Network& network, double dt_ms) {
  const auto made = Model::make(cell, dt_ms);
  if (!made) return complaint("a time step of " + std::to_string(dt_ms) + " ms", made.status());
  const double steps = delay_ms / dt_ms;
  const auto whole = static_cast<std::uint32_t>(steps + 0.5);
  if (steps < 0.99 || whole > Ring::slots || steps - whole > 0.01 || whole - steps > 0.01)
    return "a time step of " + std::to_string(dt_ms) + " ms does not divide the delay of 0.2 ms into 1 to 8 steps";
  network.dt_ms = dt_ms;
  network.delay_steps = whole;
  network.made = made.value();
  return {};
}

inline nm::Result<nm::Synapse> synapse(const Network& network, double weight_na, std::uint32_t post) {
  return synapse(network.made, network.delay_steps, weight_na, post);
}

/// Each pair of different neurons is connected with probability 0.02; membranes start evenly between reset
/// and threshold. Every neuron draws from a stream of its own, so that the network is the same however it is
/// split.
inline Complaint build_from_seed(Network& network, std::uint64_t seed) {
  const std::uint32_t neurons = network.neurons;
  constexpr auto chance = nm::Probability::from(connection_probability).value();
  std::vector<std::uint32_t> filled(neurons), draws(neurons);
  std::vector<std::uint16_t> targets;
  network.first.resize(neurons + 1);
  auto made = nm::RowBuilder<Word>::from(network.first, filled, neurons);
  if (!made) return complaint("building the network", made.status());
  nm::RowBuilder<Word>& builder = made.value();
  for (std::uint32_t pre = 0; pre < neurons; ++pre) {
    nm::Philox source(nm::StreamId{seed, 0, pre});
    source.fill(draws);
    for (std::uint32_t post = 0; post < neurons; ++post) {
      if (draws[post] >= chance.threshold() || post == pre) continue;
      targets.push_back(static_cast<std::uint16_t>(post));
      if (const auto status = builder.count(pre); !status) return complaint("building the network", status);
    }
  }
  network.words.resize(builder.counted());
  if (const auto status = builder.place(network.words); !status) return complaint("building the network", status);
  const std::uint32_t excitatory = excitatory_count(neurons);
  std::size_t at = 0;
  for (std::uint32_t pre = 0; pre < neurons; ++pre) {
    const double weight_na = pre < excitatory ? excitatory_weight_na : -inhibitory_weight_na;
    auto packed = synapse(network, weight_na, 0);
    if (!packed) return complaint("a weight", packed.status());
    while (at < network.first[pre + 1]) { // `targets` is in the order of rows
      packed.value().index = targets[at++];
      if (const auto status = builder.add(pre, packed.value()); !status)
        return complaint("building the network", status);
    }
  }
  const auto rows = builder.finish();
  if (!rows) return complaint("building the network", rows.status());
  network.rows = rows.value();

  nm::Philox source(nm::StreamId{seed, 0, 0xFFFFFFFF});
  network.initial.resize(neurons);
  for (auto& word : network.initial) word = nm::uniform_between(source, network.made.constants.reset.v, -1);
  return {};
}

namespace detail {

/// A file of fixed-size little-endian records, read in one go and checked for a whole number of them.
class Records {
public:
  Records(const std::string& path, std::size_t record_bytes) : path_(path), bytes_(record_bytes) {
    file_ = std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) complain();
  }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  ~Records() {
    if (file_ != nullptr) std::fclose(file_);
  }

  /// The next record, or nothing at the end and on a complaint.
  const unsigned char* next() {
    if (!complaint_.empty()) return nullptr;
    if (at_ == filled_) {
      filled_ = std::fread(buffer_, 1, sizeof buffer_ / bytes_ * bytes_, file_);
      at_ = 0;
      if (std::ferror(file_) != 0) return complain(); // a folder, for instance
      if (filled_ == 0) return nullptr;
      if (filled_ % bytes_ != 0) {
        complaint_ = path_ + " ends in the middle of a record of " + std::to_string(bytes_) + " bytes, after record " +
                     std::to_string(number_ + filled_ / bytes_);
        return nullptr;
      }
    }
    const unsigned char* record = buffer_ + at_;
    at_ += bytes_;
    ++number_;
    return record;
  }
  void rewind() {
    if (std::fseek(file_, 0, SEEK_SET) != 0) complain(); // a pipe, for instance
    at_ = filled_ = number_ = 0;
  }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const Complaint& complaint() const { return complaint_; }
  [[nodiscard]] std::string here() const { return path_ + ", record " + std::to_string(number_); }

private:
  const unsigned char* complain() {
    complaint_ = "cannot read " + path_ + ": " + std::strerror(errno);
    return nullptr;
  }

  std::string path_;
  std::size_t bytes_;
  std::FILE* file_ = nullptr;
  unsigned char buffer_[12 * 1024] = {};
  std::size_t at_ = 0, filled_ = 0, number_ = 0;
  Complaint complaint_;
};

inline std::uint32_t word_of(const unsigned char* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}
inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}
inline double float_of(const unsigned char* bytes) { return double{std::bit_cast<float>(word_of(bytes))}; }

} // namespace detail

/// Synapses from records of uint32 pre, uint32 post, float32 weight in pA. The file is read twice, so that it
/// needs no memory of its own.
inline Complaint read_connections(Network& network, const std::string& path) {
  detail::Records records(path, 12);
  std::vector<std::uint32_t> filled(network.neurons);
  network.first.assign(network.neurons + 1, 0);
  auto made = nm::RowBuilder<Word>::from(network.first, filled, network.neurons);
  if (!made) return complaint(path, made.status());
  nm::RowBuilder<Word>& builder = made.value();
  while (const unsigned char* record = records.next())
    if (const auto status = builder.count(detail::word_of(record)); !status)
      return complaint(records.here() + ": pre-synaptic neuron", status);
  if (!records.complaint().empty()) return records.complaint();
  if (builder.counted() == 0) return path + " is empty: it holds no synapse";
  network.words.resize(builder.counted());
  if (const auto status = builder.place(network.words); !status) return complaint(path, status);
  records.rewind();
  while (const unsigned char* record = records.next()) {
    const double weight_pa = detail::float_of(record + 8);
    const auto about = [&] { return records.here() + ": a weight of " + detail::number(weight_pa) + " pA"; };
    if (!std::isfinite(weight_pa)) return about() + " is not finite";
    const auto packed = synapse(network, weight_pa / 1000.0, detail::word_of(record + 4));
    if (!packed) return about() + ": " + nm::describe(packed.status().error);
    if (const auto status = builder.add(detail::word_of(record), packed.value()); !status)
      return complaint(records.here(), status);
  }
  if (!records.complaint().empty()) return records.complaint();
  const auto rows = builder.finish();
  if (!rows) return complaint(path, rows.status());
  network.rows = rows.value();
  return {};
}

/// Initial membranes from float32 per neuron, 0 = reset, 1 = threshold.
inline Complaint read_initial(Network& network, const std::string& path) {
  detail::Records records(path, 4);
  const std::int32_t reset = network.made.constants.reset.v;
  std::vector<std::int32_t> words;
  while (const unsigned char* record = records.next()) {
    const double fraction = detail::float_of(record);
    if (!(fraction >= 0.0 && fraction <= 1.0))
      return records.here() + ": an initial value of " + detail::number(fraction) + " is not between 0 and 1";
    const auto above = static_cast<std::int32_t>(fraction * -reset); // exact: 24 by 26 bits
    words.push_back(reset + above < -1 ? reset + above : -1);
  }
  if (!records.complaint().empty()) return records.complaint();
  if (words.size() != network.neurons)
    return path + " has " + std::to_string(words.size()) + " initial values for " + std::to_string(network.neurons) +
           " neurons";
  network.initial = words;
  return {};
}

} // namespace cuba

#endif
