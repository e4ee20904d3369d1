// SPDX-License-Identifier: BSL-1.0
// What one rank of many does and has, without the others: their messages are made up. For docs/scaling.md.
//
// usage: network.rank [neurons [ranks]]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/engine.hpp>

namespace {

namespace nm = neuromorph;
namespace network = nm::network;
using Cells = nm::PackedLif;

constexpr double hz = 4.0, dt_ms = 0.1;
constexpr std::uint32_t in_degree = 10'000, interval = 15;
constexpr std::size_t populations = 2;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
std::uint64_t random(std::uint64_t& state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/// Says to rank 0 what ranks of such a network would say: spikes at 4 Hz, from neurons of their own.
class Others final : public network::Transport {
public:
  Others(const network::Network& net, unsigned ranks) : messages_(of_intervals) {
    become(0, ranks);
    const network::Parts parts(net.populations(), ranks);
    std::uint64_t state = 88172645463325252U;
    for (auto& interval_messages : messages_) {
      interval_messages.resize(ranks);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        auto& words = interval_messages[rank] = {0, static_cast<std::uint32_t>(network::detail::Talk::interval), 0};
        for (std::uint32_t population = 0; population < populations; ++population)
          for (std::uint32_t step = 0; step < interval; ++step) {
            const std::uint32_t first = parts.first(population, rank),
                                count = parts.first(population, rank + 1) - first;
            std::vector<std::uint32_t> fired;
            const double mean = count * hz * dt_ms / 1000.0;
            const auto spikes = static_cast<std::uint32_t>(mean + double(random(state) % 1000) / 1000.0);
            for (std::uint32_t one = 0; one < spikes; ++one)
              fired.push_back(first + static_cast<std::uint32_t>(random(state) % count));
            std::sort(fired.begin(), fired.end());
            fired.erase(std::unique(fired.begin(), fired.end()), fired.end());
            words.push_back(static_cast<std::uint32_t>(fired.size()));
            words.insert(words.end(), fired.begin(), fired.end());
            if (rank != 0) spikes_ += fired.size();
          }
      }
    }
  }
  /// In the mean, per interval.
  [[nodiscard]] double spikes() const { return double(spikes_) / double(messages_.size()); }
  [[nodiscard]] double bytes() const {
    std::size_t words = 0;
    for (const auto& one : messages_)
      for (const auto& message : one) words += message.size();
    return 4.0 * double(words) / double(messages_.size());
  }

private:
  static constexpr std::size_t of_intervals = 4;
  nm::Refusal give(std::span<const std::uint32_t> words) override {
    own_.assign(words.begin(), words.end());
    is_interval_ = words.size() > 1 && words[1] == std::uint32_t(network::detail::Talk::interval);
    if (is_interval_) ++turn_;
    return {};
  }
  nm::Refusal wait() override { return {}; }
  [[nodiscard]] std::span<const std::uint32_t> given(unsigned rank) const noexcept override {
    if (rank == 0 || !is_interval_) return own_; // all describe and want the same
    return messages_[turn_ % messages_.size()][rank];
  }

  std::vector<std::vector<std::vector<std::uint32_t>>> messages_;
  std::uint64_t spikes_ = 0;
  std::size_t turn_ = 0;
  bool is_interval_ = false;
  std::vector<std::uint32_t> own_{};
};

int measure(std::uint32_t neurons, unsigned ranks) {
  network::Network net({.dt_ms = dt_ms, .seed = 1});
  const std::uint32_t excitatory = neurons / 5 * 4;
  // Silent by themselves, so that what the others say is all that arrives.
  constexpr Cells::Parameters cell{.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {0.5, 0.5}}};
  const auto e = net.add<Cells>("excitatory", excitatory, cell),
             i = net.add<Cells>("inhibitory", neurons - excitatory, cell);
  for (const auto to : {e, i}) {
    net.connect(e, to, network::FixedIndegree{in_degree / 5 * 4, true},
                {.receptor = 0, .weight = 0.02, .delay_ms = 1.5});
    net.connect(i, to, network::FixedIndegree{in_degree / 5, true}, {.receptor = 1, .weight = 0.1, .delay_ms = 1.5});
  }
  Others others(net, ranks);
  const double begun = seconds();
  auto made = network::Engine::make(net, {.threads = 1, .parts = ranks, .measures = true, .transport = &others});
  if (!made) return std::puts(made.sentence().c_str()), 1;
  network::Engine& engine = made.value();
  const double built = seconds() - begun;
  if (const auto refused = engine.run(5 * interval); !refused) return std::puts(refused.sentence().c_str()), 1;
  const auto before = engine.counts();
  const network::Phases warm = engine.phases();
  constexpr std::uint32_t steps = 40 * interval;
  if (const auto refused = engine.run(steps); !refused) return std::puts(refused.sentence().c_str()), 1;
  const auto after = engine.counts();
  const network::Phases& phases = engine.phases();
  const double own = double(engine.rows().parts.first(0, 1) + engine.rows().parts.first(1, 1));
  const double us = 1e6 / steps, synapses = double(engine.rows().total());
  const double events = double(after.events - before.events) / steps, spikes = others.spikes() / interval;
  const double update = (phases.update - warm.update) * us, delivery = (phases.delivery - warm.delivery) * us,
               exchange = (phases.exchange - warm.exchange) * us;
  std::printf("%10u %6u %8.0f %8.1f %9.2f %9.0f %9.0f %9.0f %9.1f %9.0f %9.0f %9.2f %9.2f\n", neurons, ranks, own,
              built, double(engine.rows().bytes()) / synapses, double(engine.bytes()) / 1e6, spikes, events, update,
              delivery, exchange, delivery * 1e3 / spikes, others.bytes() / interval / 1e3);
  return 0;
}

} // namespace

int main(int count, char** words) {
  std::puts("   neurons  ranks      own  built/s  B/synapse  MB/rank  spikes   events  update/us  deliv./us  exch./us  "
            "ns/spike  kB");
  if (count > 1)
    return measure(static_cast<std::uint32_t>(std::atof(words[1])),
                   count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1000);
  for (const auto& [neurons, ranks] :
       {std::pair{1'000'000U, 100U}, std::pair{10'000'000U, 1000U}, std::pair{100'000'000U, 10'000U}})
    if (const int status = measure(neurons, ranks); status != 0) return status;
  return 0;
}
