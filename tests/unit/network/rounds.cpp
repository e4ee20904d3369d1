// SPDX-License-Identifier: BSL-1.0
// Rounds of tasks on threads: each once a round, after all of the round before, also where threads come late or not at all.
#include <neuromorph/network/detail/rounds.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::network::detail::Rounds;

const auto nothing = [](auto...) {};

} // namespace

TEST_CASE("rounds: a thread that has not come holds up nobody, and finds its tasks done") {
  constexpr std::uint32_t count = 1000;
  Rounds rounds(2, 5);
  std::uint32_t done = 0, firsts = 0;
  for (std::uint32_t round = 0; round < count; ++round)
    rounds.run(
        0, round, [&] { ++firsts; }, [&](std::size_t) { ++done; });
  CHECK(done == 5 * count);
  CHECK(firsts == count);
  for (std::uint32_t round = 0; round < count; ++round)
    rounds.run(
        1, round, [&] { ++firsts; }, [&](std::size_t) { ++done; });
  CHECK(done == 5 * count);
  CHECK(firsts == count);
}

TEST_CASE("rounds: each task is done once a round, and sees what all did in the round before") {
  constexpr std::uint32_t count = 400;
  for (const unsigned threads : {1U, 2U, 3U, 5U})
    for (const std::size_t tasks : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
      Rounds rounds(threads, tasks);
      // Two sets in turns, as an engine has. Not atomic: threads that did not wait are seen here, and by the thread sanitizer.
      std::vector<std::uint32_t> ended[2] = {std::vector<std::uint32_t>(tasks, 0),
                                             std::vector<std::uint32_t>(tasks, 0)};
      std::uint32_t firsts = 0;
      std::atomic<std::uint32_t> wrong{0};
      const auto work = [&](unsigned thread) {
        std::minstd_rand draw(thread + 1);
        for (std::uint32_t round = 0; round < count; ++round) {
          if (draw() % 128 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw() % 300));
          rounds.run(
              thread, round,
              [&] {
                if (thread != 0 || firsts++ != round) ++wrong;
              },
              [&](std::size_t task) {
                for (const std::uint32_t one : ended[(round + 1) % 2])
                  if (one != round) ++wrong; // so many rounds have ended
                if (ended[round % 2][task] != (round < 2 ? 0 : round - 1)) ++wrong;
                ended[round % 2][task] = round + 1;
                if (draw() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw() % 300));
              });
        }
      };
      std::vector<std::thread> others;
      for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
      work(0);
      for (std::thread& one : others) one.join();
      INFO(threads << " threads, " << tasks << " tasks");
      CHECK(wrong == 0);
      CHECK(firsts == count);
      CHECK(ended[(count - 1) % 2] == std::vector<std::uint32_t>(tasks, count));
    }
}

TEST_CASE("rounds: nobody begins a round before the first thread has done its own of the round before") {
  Rounds rounds(2, 1);
  std::atomic<bool> is_told{false};
  std::atomic<std::uint32_t> early{0};
  std::thread other([&] {
    rounds.run(1, 0, nothing, nothing);
    if (!is_told) ++early;
    rounds.run(1, 1, nothing, nothing);
  });
  rounds.run(
      0, 0,
      [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        is_told = true;
      },
      nothing);
  rounds.run(0, 1, nothing, nothing);
  other.join();
  CHECK(early == 0);
}
