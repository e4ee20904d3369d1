// SPDX-License-Identifier: BSL-1.0
// What is recorded against a plain list of it, in memory and through files; what full disks, cut off files and wrong ones are
// answered.
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/npy.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/spike_files.hpp>
#include <neuromorph/network/weight_file.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <sys/resource.h>

#include <tests/support/catch.hpp>
#include <tests/support/folders.hpp>
#include <tests/support/seeds.hpp>
#include <tests/support/spike_trains.hpp>

namespace {

using namespace networks;
using network::FileRecorder;
using network::MemoryRecorder;
using network::PopulationId;
using network::Recording;
using network::SpikeForm;
using network::SpikeFormat;
using neuromorph::Error;
using neuromorph::Refusal;
using neuromorph::Status;

network::Network of_two(double dt_ms = 0.1, std::uint32_t first = 30, std::uint32_t second = 7) {
  network::Network net({.dt_ms = dt_ms, .seed = 1});
  net.add(plain("2/3 E", first));
  net.add(plain("2/3 I", second));
  return net;
}
std::string ending(SpikeFormat format) { return format == SpikeFormat::text ? ".txt" : ".npy"; }

/// What it is read with: all that a .npy file does not say.
SpikeForm form_of(const network::Network& net, std::uint32_t population, std::uint64_t steps) {
  return {.name = net.populations()[population].name,
          .neurons = net.populations()[population].count,
          .dt_ms = net.settings().dt_ms,
          .steps = steps};
}

/// A file of spikes that is right, as text or .npy.
std::string right_file(const Folder& folder, SpikeFormat format) {
  const auto net = of_two(0.1, 30, 7);
  auto recorder = FileRecorder::open(net, {.spikes = {PopulationId(0)}},
                                     {.folder = folder.path(), .spikes = format, .replace = true});
  REQUIRE(recorder.ok());
  REQUIRE(tell(recorder.value(), {{{3, 0}, {3, 29}, {12, 4}, {999, 10}}}, 1, 1000).ok());
  return contents_of(recorder.value().paths()[0]);
}

} // namespace

TEST_CASE("recording: spikes of any steps come back, in 8 bytes each", "[network][recording]") {
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    network::Spikes spikes;
    Train expected;
    std::uint64_t step = seed % 3 == 0 ? 0 : (std::uint64_t{1} << (20 + seed)) - 500;
    for (int at = 0; at < 30000; ++at) {
      const auto kind = random() % 1000;
      step += kind == 0 ? std::uint64_t{1} << random() % 35 : kind < 500 ? random() % 4 : 0;
      const auto neuron = static_cast<std::uint32_t>(random());
      spikes.add(step, neuron);
      expected.emplace_back(step, neuron);
    }
    CHECK(train_of(spikes) == expected);
    CHECK(spikes.size() == expected.size());
    CHECK(spikes.last_step() == step);
    CHECK(spikes.bytes() >= 30000 * 8);
    CHECK(spikes.bytes() < 30000 * 8 * 11 / 10); // the last block is not full
  }
  // Blocks of 8192, and where each is.
  constexpr std::size_t block = 8192 * 8 + sizeof(std::vector<int>);
  network::Spikes spikes;
  for (const std::size_t blocks : {1U, 2U, 3U}) {
    while (spikes.size() < blocks * 8192) {
      spikes.add(1, 0);
      REQUIRE(spikes.bytes() == (spikes.size() > (blocks - 1) * 8192 ? blocks : blocks - 1) * block);
    }
  }
  CHECK(network::Spikes().empty());
  CHECK(train_of(network::Spikes()).empty());
}

TEST_CASE("recording: memory has what a run tells", "[network][recording]") {
  for (const std::uint32_t seed : Seeds(10)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto net = of_two(0.25);
    const std::vector<Train> trains{random_train(random, 30, 2000), random_train(random, 7, 2000)};
    auto made = MemoryRecorder::make(net, all_spikes(net));
    REQUIRE(made.ok());
    REQUIRE(tell(made.value(), trains, 1, 2000, seed % 2 == 0).ok());
    const Recording& recording = made.value().recording();
    CHECK(recording.steps == 2000);
    CHECK((recording.dt_ms == 0.25 && recording.duration_ms() == 500.0));
    REQUIRE(recording.populations.size() == 2);
    CHECK(recording.populations[1].name == "2/3 I");
    CHECK(recording.populations[1].neurons == 7);
    for (std::size_t at = 0; at < 2; ++at) CHECK(train_of(recording.populations[at].spikes) == trains[at]);
    CHECK(recording.bytes() == recording.populations[0].spikes.bytes() + recording.populations[1].spikes.bytes());
  }
}

TEST_CASE("recording: words in memory and in files are those that were told", "[network][recording]") {
  const Folder folder;
  const auto net = of_two();
  const network::Wanted wanted{.spikes = {PopulationId(1)},
                               .words = {{.population = PopulationId(0), .word = 2, .neurons = {3, 9, 29}, .every = 4},
                                         {.population = PopulationId(1), .word = 0, .neurons = {6}}}};
  auto memory = MemoryRecorder::make(net, wanted);
  auto files = FileRecorder::open(net, wanted, {.folder = folder.path()});
  REQUIRE((memory.ok() && files.ok()));
  std::mt19937 random(1);
  std::vector<std::int32_t> all;
  std::vector<std::uint64_t> steps;
  for (std::uint64_t step = 4; step <= 40; step += 4) {
    std::vector<std::int32_t> words;
    for (int at = 0; at < 3; ++at) words.push_back(static_cast<std::int32_t>(random()));
    if (step == 8) words = {std::numeric_limits<std::int32_t>::lowest(), -1, std::numeric_limits<std::int32_t>::max()};
    for (network::Recorder* const one :
         {static_cast<network::Recorder*>(&memory.value()), static_cast<network::Recorder*>(&files.value())}) {
      REQUIRE(one->on_words(step, PopulationId(0), 2, words).ok());
      CHECK(one->on_words(step, PopulationId(0), 1, words).status.error == Error::index_out_of_range);
      CHECK(one->on_words(step, PopulationId(0), 2, std::span(words).first(2)).status ==
            Status{Error::lengths_differ, 0, 2, "words"});
      CHECK(one->on_spikes(step, PopulationId(0), {}).status == Status{Error::index_out_of_range, 0, 0, "population"});
    }
    all.insert(all.end(), words.begin(), words.end());
    steps.push_back(step);
  }
  REQUIRE((memory.value().on_end(41).ok() && files.value().on_end(41).ok()));
  const Recording& recording = memory.value().recording();
  REQUIRE(recording.populations.size() == 2);
  CHECK(recording.populations[0].name == "2/3 I"); // as wanted: spikes first
  CHECK(recording.populations[1].words[0].words == all);
  CHECK(recording.populations[1].words[0].steps == steps);
  CHECK(recording.populations[1].words[0].neurons == std::vector<std::uint32_t>{3, 9, 29});
  CHECK(recording.populations[0].words[0].words.empty());
  CHECK(recording.bytes() == 10 * (8 + 3 * 4)); // ten times a step and three words

  CHECK(files.value().paths() ==
        std::vector{folder / "2_3_I.npy", folder / "2_3_E.word2.npy", folder / "2_3_I.word0.npy"});
  auto opened = network::NpyReader::open(folder / "2_3_E.word2.npy");
  REQUIRE(opened.ok());
  CHECK(opened.value().rows() == 10);
  CHECK(opened.value().row_size() == 3);
  std::vector<std::int32_t> read;
  REQUIRE(opened.value()
              .each([&](std::uint64_t, const network::NpyRow& row) {
                for (std::size_t at = 0; at < 3; ++at) read.push_back(static_cast<std::int32_t>(row.number(0, at)));
                return Refusal{};
              })
              .ok());
  CHECK(read == all);
}

TEST_CASE("recording: memory that is full ends the run with a sentence, and what was told before is there",
          "[network][recording]") {
  const auto net = of_two();
  auto made = MemoryRecorder::make(net, all_spikes(net), 100);
  REQUIRE(made.ok());
  const std::vector<std::uint32_t> ten{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, two{3, 4};
  CHECK(made.value().on_spikes(1, PopulationId(0), ten).ok());
  CHECK(made.value().on_spikes(2, PopulationId(0), two).ok()); // 96 bytes
  const auto refusal = made.value().on_spikes(2, PopulationId(1), std::span(two).first(1));
  CHECK(refusal.status == neuromorph::Status{Error::buffer_full, 0, 100, "bytes of a recording"});
  CHECK(refusal.sentence() == "2/3 I: bytes of a recording = 100: there is no room left in the buffer");
  CHECK(made.value().on_spikes(3, PopulationId(1), {}).ok());
  CHECK(made.value().on_end(5).sentence() == refusal.sentence()); // it is not all
  CHECK(made.value().recording().populations[0].spikes.size() == 12);

  CHECK(made.value().on_spikes(1, PopulationId(0), {}).ok());
  auto less = MemoryRecorder::make(net, all_spikes(net), 95);
  CHECK(less.value().on_spikes(1, PopulationId(0), ten).ok());
  CHECK(less.value().on_spikes(2, PopulationId(0), two).status.error == Error::buffer_full);
  auto whole = MemoryRecorder::make(net, all_spikes(net), 96);
  CHECK(whole.value().on_spikes(1, PopulationId(0), ten).ok());
  CHECK(whole.value().on_spikes(2, PopulationId(0), two).ok());

  const std::vector<std::int32_t> pair{7, 8};
  for (const auto& [bytes, most] : {std::pair{31U, 1}, std::pair{32U, 2}, std::pair{40U, 2}, std::pair{47U, 2}}) {
    auto words = MemoryRecorder::make(net, {.words = {{.population = PopulationId(0), .neurons = {1, 2}}}}, bytes);
    for (int step = 1; step <= most; ++step)
      CHECK(words.value().on_words(std::uint64_t(step), PopulationId(0), 0, pair).ok());
    CHECK(words.value().on_words(5, PopulationId(0), 0, pair).status ==
          Status{Error::buffer_full, 0, bytes, "bytes of a recording"});
  }
}

TEST_CASE("recording: what cannot be recorded is refused by name", "[network][recording]") {
  const auto net = of_two();
  const auto refused = [&](network::Wanted wanted) {
    const std::string sentence = check(net, wanted).sentence();
    CHECK(MemoryRecorder::make(net, wanted).sentence() == sentence);
    CHECK(FileRecorder::open(net, wanted, {.folder = "/nowhere"}).sentence() == sentence);
    return sentence;
  };
  const PopulationId first{0};
  CHECK(check(net, all_spikes(net)).ok());
  CHECK(all_spikes(net).spikes == std::vector{PopulationId(0), PopulationId(1)});
  CHECK(refused({.spikes = {PopulationId(2)}}) == "what is recorded: there is no population 2");
  CHECK(refused({.spikes = {first, first}}) == "population 0, 2/3 E: it is recorded twice");
  CHECK(refused({.words = {{.population = first, .word = 3, .neurons = {1}},
                           {.population = first, .word = 3, .neurons = {2}}}}) ==
        "population 0, 2/3 E: its word 3 is recorded twice");
  CHECK(refused({.words = {{.population = first, .neurons = {1, 1}}}}) ==
        "population 0, 2/3 E: the neurons whose words are recorded do not ascend at 1");
  CHECK(refused({.words = {{.population = first, .neurons = {29, 30}}}}) == "population 0, 2/3 E: it has no neuron 30");
  CHECK(refused({.words = {{.population = first, .neurons = {}}}}) ==
        "population 0, 2/3 E: words are recorded of no neurons");
  CHECK(refused({.words = {{.population = first, .neurons = {1}, .every = 0}}}) ==
        "population 0, 2/3 E: words are recorded every 0 steps; 1 is each step");
}

TEST_CASE("recording: files of spikes are read as they were told", "[network][recording]") {
  const Folder folder;
  for (const std::uint32_t seed : Seeds(12)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const SpikeFormat format = seed % 2 == 0 ? SpikeFormat::text : SpikeFormat::npy;
    constexpr std::array steps_ms{0.1, 0.125, 1.0, 0.05, 1e-3, 0.3};
    const auto net = of_two(steps_ms[seed % 6], 1 + static_cast<std::uint32_t>(random() % 300), 1);
    // Far from the beginning, too: ten years at 0.1 ms.
    const std::uint64_t first = seed % 3 == 0 ? 3'000'000'000'000 : 0;
    std::vector<Train> trains{random_train(random, net.populations()[0].count, 1500), random_train(random, 1, 1500)};
    for (Train& train : trains)
      for (auto& spike : train) spike.first += first;
    auto recorder =
        FileRecorder::open(net, all_spikes(net), {.folder = folder.path(), .spikes = format, .replace = true});
    REQUIRE(recorder.ok());
    REQUIRE(tell(recorder.value(), trains, first + 1, first + 1500).ok());

    Recording read;
    for (std::uint32_t at = 0; at < 2; ++at) {
      const SpikeForm form = format == SpikeFormat::text ? SpikeForm{} : form_of(net, at, first + 1500);
      const auto refusal = network::read_spikes(recorder.value().paths()[at], read, form);
      INFO(refusal.sentence());
      REQUIRE(refusal.ok());
    }
    CHECK(read.steps == first + 1500);
    CHECK(read.dt_ms == net.settings().dt_ms);
    for (std::uint32_t at = 0; at < 2; ++at) {
      CHECK(read.populations[at].name == net.populations()[at].name);
      CHECK(read.populations[at].neurons == net.populations()[at].count);
      CHECK(train_of(read.populations[at].spikes) == trains[at]);
    }
  }
}

TEST_CASE("recording: a text file is lines as the C library prints them, between two that say what it is",
          "[network][recording]") {
  const Folder folder;
  const auto net = of_two(0.1, 3, 1);
  auto recorder =
      FileRecorder::open(net, {.spikes = {PopulationId(0)}}, {.folder = folder.path(), .spikes = SpikeFormat::text});
  REQUIRE(recorder.ok());
  std::string expected = "# 2/3 E: 3 neurons, 0.1 ms a step\n";
  for (std::uint64_t step = 1; step < 9999; ++step) {
    const std::vector<std::uint32_t> fired{static_cast<std::uint32_t>(step % 3)};
    REQUIRE(recorder.value().on_spikes(step, PopulationId(0), fired).ok());
    std::array<char, 64> line;
    std::snprintf(line.data(), line.size(), "%.4g %u\n", static_cast<double>(step) * 0.1, unsigned(step % 3));
    expected += line.data();
  }
  REQUIRE(recorder.value().on_end(10000).ok());
  CHECK(contents_of(folder / "2_3_E.txt") == expected + "# 10000 steps, 9998 spikes\n");
}

TEST_CASE("recording: a .npy file is what NumPy's documentation says", "[network][recording]") {
  const Folder folder;
  const std::string file = right_file(folder, SpikeFormat::npy);
  // numpy.lib.format, version 1.0: magic, version, length of the head, the head, which ends with a line's end at a
  // multiple of 64, then rows of an f8 and a u4.
  std::string head = "{'descr': [('time_ms', '<f8'), ('neuron', '<u4')], 'fortran_order': False, 'shape': (4,), }";
  REQUIRE(file.size() == 128 + 4 * 12);
  head.resize(128 - 10 - 1, ' ');
  CHECK(file.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(file.substr(10, 118) == head + "\n");
  CHECK(file.substr(128 + 12, 12) ==
        std::string("\x34\x33\x33\x33\x33\x33\xd3\x3f\x1d\x00\x00\x00", 12)); // 3 * 0.1, 29
}

TEST_CASE("recording: a file that is cut off anywhere is refused", "[network][recording]") {
  const Folder folder;
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy}) {
    const std::string whole = right_file(folder, format);
    const std::string path = folder / ("cut" + ending(format));
    const auto net = of_two();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      INFO("length " << length << " of " << whole.size());
      write_file(path, whole.substr(0, length));
      Recording read;
      const auto refusal = network::read_spikes(path, read, form_of(net, 0, 1000));
      INFO(refusal.sentence());
      CHECK(refusal.ok() == (length == whole.size()));
      CHECK(refusal.status.error == (refusal.ok() ? Error::none : Error::file_malformed));
      CHECK(read.populations.size() == (refusal.ok() ? 1 : 0));
    }
    write_file(path, whole + "x");
    Recording read;
    CHECK_FALSE(network::read_spikes(path, read, form_of(net, 0, 1000)).ok());
    CHECK(read.populations.empty());
  }
}

TEST_CASE("recording: files of any bytes are read or refused, and never more spikes than they have room for",
          "[network][recording]") {
  const Folder folder;
  const auto net = of_two();
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy}) {
    const std::string whole = right_file(folder, format);
    const std::string path = folder / ("changed" + ending(format));
    for (const std::uint32_t seed : Seeds(1500)) {
      std::mt19937 random(seed);
      std::string changed = whole;
      for (std::uint32_t count = 1 + random() % 4; count != 0; --count) {
        const std::size_t at = random() % changed.size();
        const auto kind = random() % 3;
        if (kind == 0) changed[at] = static_cast<char>(random());
        if (kind == 1) changed.erase(at, 1 + random() % 20);
        const std::size_t from = random() % changed.size(), length = random() % 30;
        if (kind == 2) changed.insert(at, changed.substr(from, length));
        if (changed.empty()) changed = "0";
      }
      write_file(path, changed);
      Recording read;
      const auto refusal = network::read_spikes(path, read, seed % 2 == 0 ? SpikeForm{} : form_of(net, 0, 1000));
      INFO("seed " << seed << ", " << refusal.sentence());
      CHECK((refusal.ok() || refusal.status.error == Error::file_malformed));
      CHECK(read.populations.size() == (refusal.ok() ? 1 : 0));
      if (refusal.ok()) CHECK(read.populations[0].spikes.size() <= changed.size() / 4);
    }
  }
}

TEST_CASE("recording: a run that stops leaves files that say so", "[network][recording]") {
  const Folder folder;
  const auto net = of_two();
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy}) {
    {
      auto recorder =
          FileRecorder::open(net, {.spikes = {PopulationId(0)}}, {.folder = folder.path(), .spikes = format});
      REQUIRE(recorder.ok());
      REQUIRE(recorder.value().on_spikes(3, PopulationId(0), std::vector<std::uint32_t>{1, 2}).ok());
    }
    Recording read;
    const auto refusal = network::read_spikes(folder / ("2_3_E" + ending(format)), read, form_of(net, 0, 1000));
    CHECK(refusal.status.error == Error::file_malformed);
    CHECK(refusal.sentence().find("stopped before its end") != std::string::npos);
  }
}

TEST_CASE("recording: files that cannot be written are a sentence before the run", "[network][recording]") {
  const Folder folder;
  const auto net = of_two();
  const network::Wanted wanted{.spikes = {PopulationId(0)}};
  CHECK(FileRecorder::open(net, wanted, {.folder = folder / "none"}).sentence() ==
        (folder / "none/2_3_E.npy: cannot write it: No such file or directory"));
  write_file(folder / "2_3_E.npy", "precious");
  const auto taken = FileRecorder::open(net, wanted, {.folder = folder.path()});
  CHECK(taken.status().error == Error::file_failed);
  CHECK(taken.sentence() == (folder / "2_3_E.npy: there is a file of that name, and it is not to be replaced"));
  CHECK(contents_of(folder / "2_3_E.npy") == "precious");
  CHECK(FileRecorder::open(net, wanted, {.folder = folder.path(), .replace = true}).ok());
  CHECK(FileRecorder::open(net, wanted, {.folder = folder / "2_3_E.npy"}).sentence().find("Not a directory") !=
        std::string::npos);

  network::Network twins({});
  twins.add(plain("a/b", 1));
  twins.add(plain("c", 1));
  twins.add(plain("a b", 1));
  CHECK(FileRecorder::open(twins, all_spikes(twins), {.folder = folder.path()}).sentence() ==
        "population 2, a b: its files would have the names of those of population 0, a/b");
  CHECK(FileRecorder::open(twins, {.spikes = {PopulationId(2)}}, {.folder = folder.path()}).ok());
  const auto of_words = [](std::uint32_t at) {
    return network::WantedWords{.population = PopulationId(at), .neurons = {0}};
  };
  CHECK(FileRecorder::open(twins, {.words = {of_words(0), of_words(2)}}, {.folder = folder.path()}).status() ==
        Status{Error::parameters_contradict, 0, 2, "population"});
  CHECK(FileRecorder::open(twins, {.words = {of_words(0), of_words(1)}}, {.folder = folder.path()}).ok());

  network::Network lines({});
  lines.add(plain("a\nb\x1f", 3));
  auto text = FileRecorder::open(lines, all_spikes(lines), {.folder = folder.path(), .spikes = SpikeFormat::text});
  REQUIRE(text.ok());
  REQUIRE(text.value().on_end(5).ok());
  CHECK(contents_of(text.value().paths()[0]) == "# a_b_: 3 neurons, 0.1 ms a step\n# 5 steps, 0 spikes\n");
  CHECK(FileRecorder::open(lines, all_spikes(lines), {.folder = folder.path(), .spikes = SpikeFormat::text})
            .status()
            .error == Error::file_failed);
}

TEST_CASE("recording: files that were ended stay as they are", "[network][recording]") {
  const Folder folder;
  const auto net = of_two();
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy}) {
    auto recorder = FileRecorder::open(
        net, {.spikes = {PopulationId(0)}, .words = {{.population = PopulationId(1), .neurons = {3}}}},
        {.folder = folder.path(), .spikes = format, .replace = true});
    REQUIRE(recorder.ok());
    REQUIRE(recorder.value().on_spikes(3, PopulationId(0), std::vector<std::uint32_t>{1, 2}).ok());
    REQUIRE(recorder.value().on_end(10).ok());
    std::vector<std::string> before;
    for (const std::string& path : recorder.value().paths()) before.push_back(contents_of(path));
    const std::string ended = ": it was ended before, and nothing can be added to it";
    const auto& paths = recorder.value().paths();
    CHECK(recorder.value().on_spikes(12, PopulationId(0), std::vector<std::uint32_t>{7}).sentence() ==
          paths[0] + ended);
    CHECK(recorder.value().on_words(12, PopulationId(1), 0, std::vector<std::int32_t>{7}).sentence() ==
          paths[1] + ended);
    CHECK(recorder.value().on_end(20).sentence() == paths[0] + ended);
    for (std::size_t at = 0; at < before.size(); ++at) CHECK(contents_of(paths[at]) == before[at]);
  }
}

TEST_CASE("recording: a full disk ends the run with a sentence", "[network][recording]") {
  const Folder folder;
  const auto net = of_two(0.1, 1000, 7);
  std::vector<std::uint32_t> burst(1000);
  for (std::uint32_t at = 0; at < 1000; ++at) burst[at] = at;
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy}) {
    const std::string path = folder / ("2_3_E" + ending(format));
    std::filesystem::create_symlink("/dev/full", path);
    const network::FileOptions options{.folder = folder.path(), .spikes = format, .replace = true};
    auto recorder = FileRecorder::open(net, {.spikes = {PopulationId(0)}}, options);
    REQUIRE(recorder.ok());
    Refusal refusal;
    std::uint64_t step = 1;
    while (step < 100 && (refusal = recorder.value().on_spikes(step, PopulationId(0), burst)).ok()) ++step;
    CHECK(step <= 12); // a buffer of 64 KiB
    CHECK(refusal.sentence() == path + ": cannot write all of it: No space left on device");
    CHECK(refusal.status == neuromorph::Status{Error::file_failed, 0, ENOSPC, "file"});
    CHECK(recorder.value().on_spikes(step + 1, PopulationId(0), burst).sentence() == refusal.sentence());
    CHECK(recorder.value().on_end(step + 1).sentence() == refusal.sentence());
    // What fits into the buffer shows at the end.
    auto small = FileRecorder::open(net, {.spikes = {PopulationId(0)}}, options);
    CHECK(small.value().on_spikes(1, PopulationId(0), std::span(burst).first(1)).ok());
    CHECK(small.value().on_end(1).sentence() == refusal.sentence());
  }
}

TEST_CASE("recording: a disk that is full after some time leaves a file that is refused", "[network][recording]") {
  const Folder folder;
  const auto net = of_two(0.1, 1000, 7);
  std::vector<std::uint32_t> burst(1000);
  for (std::uint32_t at = 0; at < 1000; ++at) burst[at] = at;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const SpikeFormat format : {SpikeFormat::text, SpikeFormat::npy})
    for (const rlim_t limit : {rlim_t{100'000}, rlim_t{131'072}, rlim_t{131'073}, rlim_t{1'000'000}}) {
      INFO(ending(format) << ", " << limit << " bytes");
      auto recorder = FileRecorder::open(net, {.spikes = {PopulationId(0)}},
                                         {.folder = folder.path(), .spikes = format, .replace = true});
      const rlimit little{limit, before.rlim_max};
      REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
      Refusal refusal;
      std::uint64_t step = 1;
      while (step < 1000 && (refusal = recorder.value().on_spikes(step, PopulationId(0), burst)).ok()) ++step;
      const auto end = recorder.value().on_end(step);
      REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
      CHECK(refusal.sentence().find("File too large") != std::string::npos);
      CHECK(end.sentence() == refusal.sentence());
      const std::string path = recorder.value().paths()[0];
      CHECK(std::filesystem::file_size(path) <= limit);
      Recording read;
      CHECK(network::read_spikes(path, read, form_of(net, 0, 0)).status.error == Error::file_malformed);
    }
  std::signal(SIGXFSZ, handler);
}

TEST_CASE("recording: text of others is read with what it does not say", "[network][recording]") {
  const Folder folder;
  const std::string path = folder / "spikes.txt";
  const SpikeForm form{.name = "cells", .neurons = 20, .dt_ms = 0.1};
  const auto answer = [&](const std::string& text, const SpikeForm& with) {
    write_file(path, text);
    Recording read;
    const auto refusal = network::read_spikes(path, read, with);
    return refusal.ok() ? std::to_string(read.populations[0].spikes.size()) + " of " + read.populations[0].name +
                              " in " + std::to_string(read.steps)
                        : refusal.sentence().substr(path.size() + 2);
  };
  CHECK(answer("0.3 4\n0.3\t5\n# of no interest\n\n12   19\n", form) == "3 of cells in 120");
  CHECK(answer("0.3 4\n", {.neurons = 5, .dt_ms = 0.1, .steps = 50}) == "1 of spikes.txt in 50");
  CHECK(answer("0.3 4\n", {.dt_ms = 0.1}) == "it does not say of how many neurons it is, and nobody else has");
  CHECK(answer("0.3 4\n", {.neurons = 5}) == "it does not say how long a step is, and nobody else has");
  CHECK(answer("0.3 4\n", {.neurons = 5, .dt_ms = 1e6}) == "it does not say how long a step is, and nobody else has");
  CHECK(answer("0.3 20\n", form) == "line 1: neuron 20 is none of the 20");
  CHECK(answer("0.3 4\n", {.neurons = (1U << 28) + 1, .dt_ms = 0.1}) ==
        "it is of more neurons than a population may have");
  CHECK(answer("0.3 4\n", {.neurons = 1U << 28, .dt_ms = 0.1}) == "1 of spikes.txt in 3");
  // What is not quite a head or an end is a comment, and says nothing.
  for (const char* const head : {"# x: 20 neurones, 0.1 ms a step", "# x: 20 neurons, ms a step", "# x: 20 neurons",
                                 "# x: neurons, 0.1 ms a step", "# x: 20 neurons, 0.1 ms a step.", "# : 20"}) {
    CHECK(answer(std::string(head) + "\n0.3 4\n", form) == "1 of cells in 3");
    CHECK(answer(std::string(head) + "\n0.3 4\n", {}) ==
          "it does not say of how many neurons it is, and nobody else has");
  }
  for (const char* const end : {"#10 steps, 0 spikes", "# steps, 0 spikes", "# 10 steps, spikes", "# 10 step, 0 spikes",
                                "# 10 steps, 0 spikes."})
    CHECK(answer(std::string("# x: 20 neurons, 0.1 ms a step\n") + end + "\n", {}).find("does not end the file") !=
          std::string::npos);
  CHECK(answer("# x: 20 neurons, 0.1 ms a step\n# 2 steps, 0 spikes\n", {.name = "own"}) == "0 of own in 2");
  CHECK(answer("0.3 4\n0.35 4\n", form) == "line 2: 0.35 ms is not the time of a step of 0.1 ms");
  CHECK(answer("0.3 4\n0.2 4\n", form) == "line 2: 0.2 ms is before the spike that it follows");
  CHECK(answer("0 4\n", form) == "line 1: 0 ms is not the time of a step of 0.1 ms");
  CHECK(answer("-0.1 4\n", form) == "line 1: -0.1 ms is not the time of a step of 0.1 ms");
  CHECK(answer("nan 4\n", form) == "line 1: nan ms is not the time of a step of 0.1 ms");
  CHECK(answer("5.1 4\n", {.neurons = 5, .dt_ms = 0.1, .steps = 50}) == "line 1: 5.1 ms is after the end of the run");
  for (const char* const wrong : {"0.3", "0.3 ", "0.3 x", "0.3 4 5", "0.3 -4", "0.3,4", "x", " 0.3 4", "0.3 4.5"})
    CHECK(answer(std::string("0.1 1\n") + wrong + "\n", form) ==
          std::string("line 2: it is not a time in ms and the number of a neuron: '") + wrong + "'");
  CHECK(answer("", form) == "it is empty: nothing says that no spikes are all there were");
  CHECK(answer(std::string(70000, '1') + "\n", form).find("line 1 is longer than 65536 bytes") == 0);
  CHECK(answer("# x: 20 neurons, 0.1 ms a step\n0.3 4\n# 10 steps, 2 spikes\n", {}) ==
        "line 3: the file has 1 spikes, and here it says 2");
  CHECK(answer("# x: 20 neurons, 0.1 ms a step\n0.3 4\n# 2 steps, 1 spikes\n", {}) ==
        "line 3: the run ends before its last spike");
  CHECK(answer("# x: 20 neurons, 0.1 ms a step\n# 2 steps, 0 spikes\n0.1 1\n", {}) ==
        "line 3: it follows the line that ends the file");
  CHECK(answer("# x: y: 20 neurons, 0.1 ms a step\n# 2 steps, 0 spikes\n", {}) == "0 of x: y in 2");
  CHECK(answer("# x: 20 neurons, 0.1 ms a step\n# 2 steps, 0 spikes\n", {.neurons = 19}) ==
        "line 1: neurons or step are not those that were said");
  Recording read;
  write_file(path, "");
  CHECK(network::read_spikes(path, read, form).status.where == 0);
  auto rows = network::NpyWriter::create(folder / "rows.npy", {{"time_ms", "<f8"}, {"neuron", "<u4"}}, {}, true);
  for (const std::uint32_t neuron : {19U, 20U}) {
    std::string row;
    network::append_number(row, 0.3), network::append_number(row, neuron);
    REQUIRE(rows.value().write(row).ok());
  }
  REQUIRE(rows.value().end().ok());
  CHECK(network::read_spikes(folder / "rows.npy", read, form).sentence() ==
        (folder / "rows.npy: row 2: neuron 20 is none of the 20"));
  auto negative =
      network::NpyWriter::create(folder / "negative.npy", {{"time_ms", "<f8"}, {"neuron", "<i4"}}, {}, true);
  std::string row;
  network::append_number(row, 0.3), network::append_number(row, std::int32_t{-1});
  REQUIRE((negative.value().write(row).ok() && negative.value().end().ok()));
  CHECK(network::read_spikes(folder / "negative.npy", read, form).sentence() ==
        (folder / "negative.npy: row 1: neuron -1 is none of the 20"));
  CHECK(network::read_spikes(folder / "negative.npy", read, {}).sentence() ==
        (folder / "negative.npy: it does not say of how many neurons it is, and nobody else has"));
  CHECK(network::read_spikes(folder / "none", read, form).sentence() ==
        (folder / "none: cannot read it: No such file or directory"));
  CHECK(network::read_spikes(folder.path(), read, form).sentence() ==
        folder.path() + ": cannot read it: Is a directory");
  write_file(path, "0.3 4\n");
  CHECK(network::read_spikes(path, read, form).ok());
  CHECK(network::read_spikes(path, read, {.neurons = 20, .dt_ms = 0.3}).status.error == Error::parameters_contradict);
  CHECK(read.populations.size() == 1);
  // As long as the longest.
  CHECK(read.steps == 3);
  CHECK(network::read_spikes(path, read, {.neurons = 20, .dt_ms = 0.1, .steps = 50}).ok());
  CHECK(network::read_spikes(path, read, form).ok());
  CHECK(read.steps == 50);
  Recording old{.steps = 70}; // of no populations
  CHECK((network::read_spikes(path, old, form).ok() && old.steps == 3));
}

TEST_CASE("recording: heads of .npy files as NumPy and others write them", "[network][recording]") {
  const Folder folder;
  const std::string path = folder / "x.npy";
  const auto open = [&](const std::string& head, const std::string& data, int version = 1) {
    std::string file = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
    if (version == 1)
      network::append_number(file, static_cast<std::uint16_t>(head.size()));
    else
      network::append_number(file, static_cast<std::uint32_t>(head.size()));
    write_file(path, file + head + data);
    return network::NpyReader::open(path);
  };
  const auto numbers = [&](const std::string& head, const std::string& data, int version = 1) {
    auto reader = open(head, data, version);
    INFO(reader.sentence());
    REQUIRE(reader.ok());
    std::vector<double> found;
    const auto refusal = reader.value().each([&](std::uint64_t, const network::NpyRow& row) {
      for (std::size_t column = 0; column < reader.value().columns().size(); ++column)
        for (std::size_t at = 0; at < reader.value().row_size(); ++at) found.push_back(row.number(column, at));
      return Refusal{};
    });
    INFO(refusal.sentence());
    CHECK(refusal.ok());
    return found;
  };
  using Numbers = std::vector<double>;
  CHECK(numbers("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n", {"\xff\xff\x02\x00\x00\x80", 6}) ==
        Numbers{-1, 2, -32768});
  CHECK(numbers("{\"shape\":(2,2),\"fortran_order\":False,\"descr\":\">u2\"}", {"\x00\x01\x00\x02\xff\xff\x00\x00", 8},
                2) == Numbers{1, 2, 65535, 0});
  CHECK(numbers("{'descr': [('a', '|u1'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                {"\x07\x00\x00\x20\xc0", 5}, 3) == Numbers{7, -2.5});
  CHECK(numbers("{'descr': '|b1', 'fortran_order': True, 'shape': (2,)}", {"\x01\x00", 2}) == Numbers{1, 0});
  CHECK(numbers("{'descr': '>i8', 'fortran_order': False, 'shape': (1,)}", {"\xff\xff\xff\xff\xff\xff\xff\xfe", 8}) ==
        Numbers{-2});
  CHECK(numbers("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}", "").empty());
  const auto refused = [&](const std::string& head, int version = 1) {
    const auto reader = open(head, std::string(64, 'x'), version);
    CHECK_FALSE(reader.ok());
    return reader.sentence().substr(path.size() + 2);
  };
  CHECK(refused("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}") ==
        "it is of the type '<c8', which is not read here");
  CHECK(refused("{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}").find("'<f2'") != std::string::npos);
  CHECK(refused("{'descr': '<f8', 'fortran_order': True, 'shape': (2,2)}").find("Fortran's order") !=
        std::string::npos);
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': ()}") == "it has one number and no rows");
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4,0)}") == "its rows are empty");
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,99999999,99999999)}") ==
        "its rows are longer than 256 MiB");
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,18446744073709551615)}") ==
        "its rows are longer than 256 MiB");
  CHECK(refused("{'descr': '<f8', 'fortran_order': False}").find("cannot be understood") != std::string::npos);
  CHECK(refused("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}").find("at byte 35") !=
        std::string::npos);
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}").find("cannot be understood") !=
        std::string::npos);
  CHECK(refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,2)}") ==
        "it has rows of rows, which are not read here");
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 4) ==
        "it is of a version of .npy files that is not known, 4");
  write_file(path, "PK and so on");
  CHECK(network::NpyReader::open(path).sentence() == path + ": it does not begin as a .npy file does");
}

TEST_CASE("recording: weights in a file are those of the description", "[network][recording]") {
  const Folder folder;
  const std::string path = folder / "weights.npy";
  using Synapse = std::tuple<std::uint32_t, std::uint32_t, double, double, double>; // receptor, weight, delay
  for (const std::uint32_t seed : Seeds(6)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    auto net = of_two(0.5, 30, 7); // a weight of 1 is 1024 units: multiples of 1 / 1024 are exact
    std::vector<Synapse> expected;
    for (const std::uint32_t receptor : {0U, 1U})
      for (const std::uint32_t to : {0U, 1U}) {
        network::FromList list;
        for (auto count = random() % 200; count != 0; --count) {
          const auto source = static_cast<std::uint32_t>(random() % 30);
          const auto target = static_cast<std::uint32_t>(random() % net.populations()[to].count);
          const double weight = static_cast<double>(1 + random() % 4000) / 1024.0;
          const double delay_ms = static_cast<double>(1 + random() % 40) * 0.5;
          list.synapses.push_back({source, target, weight, delay_ms});
          if (to == 1) expected.emplace_back(source, target, receptor, weight, delay_ms);
        }
        net.connect(PopulationId(0), PopulationId(to), list, {.receptor = receptor});
      }
    const auto built = network::build(net, {.threads = 2, .parts = seed});
    INFO(built.sentence());
    REQUIRE(built.ok());
    REQUIRE(network::write_weights(path, net, built.value(), PopulationId(0), PopulationId(1), true).ok());
    auto reader = network::NpyReader::open(path);
    REQUIRE(reader.ok());
    CHECK(reader.value().columns() ==
          std::vector<network::NpyColumn>{
              {"source", "<u4"}, {"target", "<u4"}, {"receptor", "|u1"}, {"weight", "<f8"}, {"delay_ms", "<f8"}});
    std::vector<Synapse> read;
    REQUIRE(reader.value()
                .each([&](std::uint64_t, const network::NpyRow& row) {
                  read.emplace_back(static_cast<std::uint32_t>(row.number(0)),
                                    static_cast<std::uint32_t>(row.number(1)), row.number(2), row.number(3),
                                    row.number(4));
                  return Refusal{};
                })
                .ok());
    for (std::size_t at = 1; at < read.size(); ++at) CHECK(std::get<0>(read[at]) >= std::get<0>(read[at - 1]));
    std::sort(read.begin(), read.end());
    std::sort(expected.begin(), expected.end());
    CHECK(read == expected);
    REQUIRE(network::write_weights(path, net, built.value(), PopulationId(1), PopulationId(0), true).ok());
    CHECK(network::NpyReader::open(path).value().rows() == 0);
    CHECK(network::write_weights(path, net, built.value(), PopulationId(1), PopulationId(0)).status.error ==
          Error::file_failed);
    CHECK(network::write_weights(path, net, built.value(), PopulationId(1), PopulationId(2)).status.error ==
          Error::index_out_of_range);
    if (!expected.empty())
      CHECK(
          network::write_weights("/dev/full", net, built.value(), PopulationId(0), PopulationId(1), true).sentence() ==
          "/dev/full: cannot write all of it: No space left on device");
  }
}
