// SPDX-License-Identifier: BSL-1.0
/// \file
/// Monitors and programs as one machine, whichever processes have them: who speaks for hosts is rank 0, and the others do as it says.
///
///     machine::Ranks ranks(monitors, applications); // in each process
///     if (!ranks.is_first()) return ranks.serve();  // until rank 0 closes its own
///     ranks.take(ethernet_chip, from, datagram, answers);
///     ranks.flush(answers);
///
/// In one process all is done at once. In several, datagrams wait for `flush`, or for what comes behind them: two exchanges for all of them.
// host-only
#ifndef NEUROMORPH_MACHINE_RANKS_HPP
#define NEUROMORPH_MACHINE_RANKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/detail/rank_words.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class Ranks {
public:
  /// \param monitors, applications  outlive this; each process has those of its own strip
  Ranks(Monitors& monitors, Applications& applications)
      : monitors_(monitors), applications_(applications), strip_(applications.strip()) {}
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() { close(); }

  [[nodiscard]] bool is_first() const noexcept { return strip_.rank == 0; }
  /// As Applications::lost: then nothing is answered.
  [[nodiscard]] const Refusal& lost() const noexcept { return lost_.ok() ? applications_.lost() : lost_; }

  /// Does what rank 0 says, until it closes, or is gone.
  /// \pre    not is_first()
  /// \errors as `lost`: rank_failed, parameters_contradict
  [[nodiscard]] Refusal serve() {
    while (lost().ok() && !is_closed_) meet({});
    return lost();
  }
  /// From now on faults happen when they are due, by the milliseconds for which the machine was advanced since; a tick has one. Each process
  /// has those of the same script.
  /// \param faults  outlives this; nullptr: none
  void set_faults(FaultPlayer* faults) {
    faults_ = faults, time_ = 0;
    play();
  }
  /// Lets the others go; from then on there is no machine.
  void close() {
    if (strip_.is_one_of_many() && is_first() && !is_closed_) meet(of(What::close).words());
  }

  // --- of rank 0 -------------------------------------------------------------------------------------------------------

  /// A datagram to the port of SCP, as Monitors::take.
  void take(mapping::Chip ethernet, const Endpoint& from, std::span<const std::uint8_t> bytes,
            std::vector<Datagram>& answers) {
    if (!strip_.is_one_of_many()) return monitors_.take(ethernet, from, bytes, answers);
    waiting_.push_back({ethernet, from, {bytes.begin(), bytes.end()}});
  }
  /// What was taken is done.
  void flush(std::vector<Datagram>& answers) {
    if (waiting_.empty()) return;
    detail::RankWords words = of(What::take);
    for (const Datagram& one : waiting_) words.add_datagram(one);
    waiting_.clear();
    meet(words.words());
    std::move(answers_.begin(), answers_.end(), std::back_inserter(answers)), answers_.clear();
  }
  void take_boot(std::span<const std::uint8_t> bytes) {
    detail::RankWords words = of(What::boot);
    words.add_bytes(bytes), meet(words.words());
  }
  void take_reverse(mapping::Chip ethernet, std::uint16_t port, const Endpoint& from,
                    std::span<const std::uint8_t> bytes) {
    detail::RankWords words = of(What::reverse);
    words.add_datagram({ethernet, from, {bytes.begin(), bytes.end()}}), words.add(port), meet(words.words());
  }
  /// As Applications::advance.
  void advance(std::uint32_t count, std::vector<Datagram>& to) {
    detail::RankWords words = of(What::advance);
    words.add(count), meet(words.words());
    std::move(messages_.begin(), messages_.end(), std::back_inserter(to)), messages_.clear();
  }
  /// As Applications::late, of all processes.
  [[nodiscard]] std::vector<LatePackets> late() {
    meet(of(What::late).words());
    return std::exchange(late_, {});
  }
  /// As Applications::account, of all processes.
  [[nodiscard]] PacketAccount account() {
    meet(of(What::account).words());
    return account_;
  }
  /// As Applications::digest: the same for any number of processes.
  [[nodiscard]] std::uint64_t digest() {
    meet(of(What::digest).words());
    return digest_;
  }

private:
  enum class What : std::uint32_t { close, take, boot, reverse, advance, late, account, digest };

  [[nodiscard]] static detail::RankWords of(What what) {
    detail::RankWords words;
    words.add(static_cast<std::uint32_t>(what));
    return words;
  }
  void mind(const Refusal& refusal) {
    if (lost_.ok()) lost_ = refusal;
  }
  /// All do what rank 0 says.
  void meet(const std::vector<std::uint32_t>& words) {
    if (!strip_.is_one_of_many()) return obey(words);
    if (!lost().ok()) return;
    std::vector<std::uint32_t> said;
    mind(strip_.exchange(words, [&said](unsigned rank, std::span<const std::uint32_t> given) {
      if (rank == 0) said.assign(given.begin(), given.end());
    }));
    if (lost().ok()) obey(said);
  }
  void obey(std::span<const std::uint32_t> words) {
    detail::RankReader said(words);
    switch (What(said.take())) {
    case What::close: is_closed_ = true; break;
    case What::take: answer(said); break;
    case What::boot: monitors_.take_boot(said.take_bytes()); break;
    case What::reverse: {
      const Datagram one = said.take_datagram();
      monitors_.take_reverse(one.from, static_cast<std::uint16_t>(said.take()), one.to, one.bytes);
      break;
    }
    case What::advance: advance_here(said.take()); break;
    case What::late: gather_late(); break;
    case What::account: gather_account(); break;
    case What::digest: digest_ = applications_.digest(); break;
    }
    if (!is_first()) messages_.clear();
  }
  void play() {
    if (faults_ != nullptr) faults_->advance(time_ * FaultPlayer::tick_ns);
  }
  /// From fault to fault.
  void advance_here(std::uint32_t count) {
    while (count != 0) {
      const std::int64_t next = faults_ == nullptr ? INT64_MAX : faults_->next_ns();
      const std::int64_t until = next / FaultPlayer::tick_ns + (next % FaultPlayer::tick_ns != 0 ? 1 : 0);
      const auto some = static_cast<std::uint32_t>((std::min)(std::int64_t{count}, until - time_));
      applications_.advance(some, messages_);
      time_ += some, count -= some;
      play();
    }
  }
  /// Each does its share of datagrams, and rank 0 gets the answers in the order of these.
  void answer(detail::RankReader& said) {
    detail::RankWords own;
    std::vector<Datagram> made;
    for (std::uint32_t number = 0; !said.is_empty(); ++number) {
      const Datagram one = said.take_datagram();
      monitors_.take(one.from, one.to, one.bytes, made);
      for (const Datagram& of : made) own.add(number), own.add_datagram(of);
      made.clear();
    }
    std::vector<std::pair<std::uint32_t, Datagram>> answers;
    gather(own, [&](detail::RankReader& given) {
      const std::uint32_t number = given.take();
      answers.emplace_back(number, given.take_datagram());
    });
    std::stable_sort(answers.begin(), answers.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    for (auto& [number, one] : answers) answers_.push_back(std::move(one));
  }
  void gather_late() {
    detail::RankWords own;
    for (const LatePackets& one : applications_.late())
      own.add(one.key), own.add(one.to.chip), own.add(one.to.core), own.add_double(one.count), own.add(one.most_ticks);
    gather(own, [this](detail::RankReader& given) {
      LatePackets one;
      one.key = given.take(), one.to.chip = given.take(), one.to.core = static_cast<std::uint8_t>(given.take());
      one.count = given.take_double(), one.most_ticks = given.take();
      late_.push_back(one);
    });
    std::stable_sort(late_.begin(), late_.end(), [](const LatePackets& one, const LatePackets& other) {
      return std::pair(one.key, one.to.chip) < std::pair(other.key, other.to.chip);
    });
  }
  void gather_account() {
    const PacketAccount& is = applications_.account();
    detail::RankWords own;
    for (const std::uint64_t one : {is.sent, is.copies, is.taken, is.refused, is.idle, is.to_nobody})
      own.add_double(one);
    account_ = {};
    gather(own, [this](detail::RankReader& given) {
      for (std::uint64_t* const one :
           {&account_.sent, &account_.copies, &account_.taken, &account_.refused, &account_.idle, &account_.to_nobody})
        *one += given.take_double();
    });
  }
  /// take(reader) until all that each has said is taken; by rank 0 alone.
  template <class Take>
  void gather(const detail::RankWords& own, Take take) {
    const auto take_all = [&](unsigned, std::span<const std::uint32_t> words) {
      for (detail::RankReader given(words); is_first() && !given.is_empty();) take(given);
    };
    if (!strip_.is_one_of_many()) return take_all(0, own.words());
    if (lost().ok()) mind(strip_.exchange(own.words(), take_all));
  }

  Monitors& monitors_;
  Applications& applications_;
  const Strip& strip_;
  std::vector<Datagram> waiting_{}; // `to` is from whom
  std::vector<Datagram> answers_{}, messages_{};
  std::vector<LatePackets> late_{};
  PacketAccount account_{};
  std::uint64_t digest_ = 0;
  FaultPlayer* faults_ = nullptr;
  std::int64_t time_ = 0; // of the faults, in milliseconds
  Refusal lost_{};
  bool is_closed_ = false;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
