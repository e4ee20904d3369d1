// SPDX-License-Identifier: BSL-1.0
// Lists from files against the lists that were written, and every kind of mistake against its sentence.
#include <neuromorph/network/connection_file.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/network/npy.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/folders.hpp>
#include <tests/support/seeds.hpp>

namespace {

namespace network = neuromorph::network;
using network::ConnectionForm;
using network::ConnectionFormat;
using network::Listed;
using neuromorph::Error;

std::vector<Listed> random_list(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::vector<Listed> list(size);
  for (Listed& one : list) {
    one.source = random() % 7 == 0 ? 0xFFFF'FFFE : static_cast<std::uint32_t>(random() % 1000);
    one.target = random() % 7 == 0 ? 0 : static_cast<std::uint32_t>(random());
    if (one.target == 0xFFFF'FFFF) one.target = 1;
    const double mantissa = static_cast<double>(random()) - 2147483648.0;
    one.weight = std::ldexp(mantissa, static_cast<int>(random() % 60) - 50);
    one.delay_ms = 0.1 * static_cast<double>(1 + random() % 200);
  }
  return list;
}
/// With 17 digits, in any of the ways in which people write.
std::string text_of(const std::vector<Listed>& list, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  for (const Listed& one : list) {
    if (random() % 5 == 0) text += random() % 2 == 0 ? "\n" : "  # a comment, 1 2 3 4\n";
    char line[200];
    const bool is_plain = random() % 2 == 0;
    std::snprintf(line, sizeof line, is_plain ? "%.0f %.0f %.17g %.17g" : "\t%.17e,%.17e ,  %.17e\t%.17e ",
                  static_cast<double>(one.source), static_cast<double>(one.target), one.weight, one.delay_ms);
    text += line;
    if (random() % 9 == 0) text += " # and one behind";
    text += random() % 9 == 0 ? "\r\n" : "\n";
  }
  return text;
}
void append_word(std::string& to, std::uint32_t word) {
  for (int byte = 0; byte < 4; ++byte) to.push_back(static_cast<char>(word >> 8 * byte & 0xFF));
}

std::string refused(const std::string& path, const ConnectionForm& form = {}, Error error = Error::file_malformed) {
  const auto answer = network::read_connections(path, form);
  REQUIRE(!answer.ok());
  CHECK(answer.status().error == error);
  const std::string sentence = answer.sentence();
  CHECK(sentence.find(path + ": ") == 0);
  return sentence.substr(path.size() + 2);
}
std::string refused_text(const Folder& folder, const std::string& text) {
  write_file(folder / "list.txt", text);
  return refused(folder / "list.txt");
}
std::vector<Listed> read(const std::string& path, const ConnectionForm& form = {}) {
  auto answer = network::read_connections(path, form);
  INFO(answer.sentence());
  REQUIRE(answer.ok());
  return answer.value().synapses;
}

} // namespace

TEST_CASE("connection_file: text is the list that was written") {
  const Folder folder;
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    const auto list = random_list(seed, seed % 10 == 0 ? 9000 : seed % 50); // longer than the buffer
    write_file(folder / "list.txt", text_of(list, seed));
    REQUIRE((read(folder / "list.txt") == list));
  }
}

TEST_CASE("connection_file: text that says how many synapses it has is refused wherever it is cut off") {
  const Folder folder;
  const auto list = random_list(5, 40);
  const std::string text = "# made by hand\n#  40 synapses\n" + text_of(list, 5);
  write_file(folder / "list.txt", text);
  CHECK((read(folder / "list.txt") == list));
  for (std::size_t length = 0; length < text.size(); ++length) {
    write_file(folder / "cut.txt", text.substr(0, length));
    const auto answer = network::read_connections(folder / "cut.txt");
    const bool has_all = text.find_first_not_of("# \n\r", length) == std::string::npos; // a last comment is cut off
    if (answer.ok() && !(has_all && answer.value().synapses == list)) FAIL("cut at " << length);
    if (!answer.ok()) CHECK(answer.status().error == Error::file_malformed);
  }
  CHECK(refused_text(folder, "# 3 synapses\n1 2 3 4\n1 2 3 4\n") ==
        "line 1 says that there are 3 synapses, and there are 2");
  CHECK(refused_text(folder, "1 2 3 4\n1 2 3 4\n#1 synapses \r\n") ==
        "line 3 says that there are 1 synapses, and there are 2");
  CHECK(refused_text(folder, "# 1 synapses\n1 2 3 4\n# 2 synapses\n") ==
        "line 3 says that there are 2 synapses, and line 1 1");
  CHECK(network::read_connections(folder / "list.txt").status().where == 3);
  for (const char* const fine :
       {"1 2 3 4\n# 1 synapses\n", "# 1 synapses\n1 2 3 4\n# 1 synapses\n", "1 2 3 4 # 7 synapses\n",
        "# 7 synapses a neuron\n1 2 3 4\n", "# many synapses\n1 2 3 4\n", "# synapses\n1 2 3 4\n"}) {
    write_file(folder / "fine.txt", fine);
    CHECK(read(folder / "fine.txt").size() == 1);
  }
  // Of a part of the neurons all of the file counts.
  write_file(folder / "fine.txt", "# 2 synapses\n1 2 3 4\n5 2 3 4\n");
  CHECK(read(folder / "fine.txt", {.sources = {5, 6}}).size() == 1);
}

TEST_CASE("connection_file: what has no synapses says so, or is refused") {
  const Folder folder;
  for (const char* const empty : {"", "\n", "# a head\n\n"})
    CHECK(refused_text(folder, empty) == "it has no synapses, and no line '# 0 synapses' that says so");
  write_file(folder / "none.txt", "# 0 synapses\n");
  CHECK(read(folder / "none.txt").empty());
  write_file(folder / "none.bin", "");
  CHECK(refused(folder / "none.bin") == "it is empty; a list of no synapses is one of text or .npy");
}

TEST_CASE("connection_file: text that is cut off anywhere but between lines is refused") {
  const Folder folder;
  const auto list = random_list(3, 40);
  const std::string text = text_of(list, 3);
  for (std::size_t length = 0; length < text.size(); ++length) {
    write_file(folder / "cut.txt", text.substr(0, length));
    const auto answer = network::read_connections(folder / "cut.txt");
    const bool is_between = length != 0 && text[length - 1] == '\n';
    if (answer.ok() != is_between) FAIL("cut at " << length);
    if (answer.ok() && !std::equal(answer.value().synapses.begin(), answer.value().synapses.end(), list.begin()))
      FAIL("other synapses when cut at " << length);
    if (!answer.ok() && length != 0 &&
        answer.sentence().find("has no end: the file may be cut off") == std::string::npos)
      FAIL(answer.sentence());
  }
}

TEST_CASE("connection_file: columns are those of the head, or the first of source, target, weight and delay") {
  const Folder folder;
  const std::string path = folder / "list.txt";
  write_file(path, "3 4\n5 6\n");
  CHECK((read(path, {.weight = 0.5, .delay_ms = 2.0}) == std::vector<Listed>{{3, 4, 0.5, 2.0}, {5, 6, 0.5, 2.0}}));
  write_file(path, "3 4 7.5\n");
  CHECK((read(path, {.delay_ms = 2.0, .weight_unit = 0.5}) == std::vector<Listed>{{3, 4, 3.75, 2.0}}));
  write_file(path, "# made by hand\n# columns = [\"i\", \"j\", \"delay\", \"weight\"]\n3 4 7.5 0.25\n");
  CHECK((read(path) == std::vector<Listed>{{3, 4, 0.25, 7.5}}));
  write_file(path, "# columns = ('weight', 'delay')\n3 4 7.5 0.25\n");
  CHECK((read(path) == std::vector<Listed>{{3, 4, 7.5, 0.25}}));
  write_file(path, "#columns=[j, i]\n3 4\n");
  CHECK((read(path, {.weight = -1.0, .magnitudes = true}) == std::vector<Listed>{{4, 3, 1.0, 1.0}}));
  CHECK(refused_text(folder, "# columns = [\"i\", \"j\", \"weight\", \"delay\", \"U\"]\n1 2 3 4 5\n") ==
        "line 1 does not say the columns: a column is called 'U', which is not known here");
  CHECK(refused_text(folder, "\n# columns = [i, pre, weight]\n") ==
        "line 2 does not say the columns: two columns are called 'pre'");
  CHECK(refused_text(folder, "# columns = [i, weight]\n1 2\n") ==
        "line 1 does not say the columns: there is no column of sources, or none of targets");
  write_file(path, "# columns are not said here\n1 2\n");
  CHECK(read(path).size() == 1);
}

TEST_CASE("connection_file: a mistake in a text is a sentence with its line") {
  const Folder folder;
  CHECK(refused_text(folder, "1 2 3 4\n\n# x\n1 2 three 4\n") == "line 4 has 'three' where a number should be");
  CHECK(refused_text(folder, "1 2 3 4x\n") == "line 1 has '4x' where a number should be");
  CHECK(refused_text(folder, "1 2 1e999 4\n") == "line 1 has '1e999' where a number should be");
  CHECK(refused_text(folder, "1 2 3 4\n1 2 3\n") == "line 2 has 3 words, and there are 4 columns");
  CHECK(refused_text(folder, "1\n") == "line 1 has 1 words, which are no source, target, weight and delay");
  CHECK(refused_text(folder, "1 2 3 4 5\n") == "line 1 has 5 words, which are no source, target, weight and delay");
  CHECK(refused_text(folder, "1.5 2 3 4\n") == "line 1 is refused: a source is 1.5, which is no number of a neuron");
  CHECK(refused_text(folder, "1 -2 3 4\n") == "line 1 is refused: a target is -2, which is no number of a neuron");
  CHECK(refused_text(folder, "4294967295 2 3 4\n") ==
        "line 1 is refused: a source is 4294967295, which is no number of a neuron");
  CHECK(refused_text(folder, "nan 2 3 4\n").find("line 1 is refused: a source is ") == 0);
  CHECK(refused_text(folder, "1 2 inf 4\n") == "line 1 is refused: a weight is inf, which is no finite number");
  CHECK(refused_text(folder, "1 2 3 -inf\n") == "line 1 is refused: a delay is -inf, which is no finite number");
  CHECK(refused_text(folder, "1 2 3 4\n" + std::string(70'000, ' ') + "\n") == "line 2 is longer than 65536 bytes");
  CHECK(refused_text(folder, std::string("1 2 3 4\0\n", 9)).find("line 1 has '4") == 0);
  CHECK(network::read_connections(folder / "list.txt").status().where == 1);
  write_file(folder / "long.txt", "# " + std::string(65'533, 'x') + "\n1 2\n"); // just fits
  CHECK(read(folder / "long.txt").size() == 1);
  CHECK(refused(folder / "nowhere.txt", {}, Error::file_failed) == "cannot read it: No such file or directory");
  CHECK(refused(folder.path(), {}, Error::file_failed).find("cannot read it: ") == 0);
}

TEST_CASE("connection_file: records of 12 bytes, and where they are cut off") {
  const Folder folder;
  const std::string path = folder / "list.bin";
  std::vector<Listed> list = random_list(7, 50);
  std::string bytes;
  for (Listed& one : list) {
    const auto weight = static_cast<float>(one.weight);
    one.weight = weight, one.delay_ms = 2.5;
    append_word(bytes, one.source), append_word(bytes, one.target);
    append_word(bytes, std::bit_cast<std::uint32_t>(weight));
  }
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    write_file(path, bytes.substr(0, length));
    const auto answer = network::read_connections(path, {.delay_ms = 2.5});
    REQUIRE(answer.ok() == (length % 12 == 0 && length != 0));
    if (!answer.ok() && length != 0) {
      REQUIRE(answer.status().where == length / 12);
      REQUIRE(answer.sentence() == path + ": record " + std::to_string(length / 12) + ", counted from 0, is cut off");
    }
  }
  CHECK((read(path, {.delay_ms = 2.5}) == list));
  write_file(folder / "list", bytes);
  CHECK((read(folder / "list", {.format = ConnectionFormat::records, .delay_ms = 2.5}) == list));
  append_word(bytes, 1), append_word(bytes, 2), append_word(bytes, 0x7FC0'0000);
  write_file(path, bytes);
  CHECK(refused(path).find("record " + std::to_string(list.size()) + ", counted from 0, is refused: a weight is ") ==
        0);
}

TEST_CASE("connection_file: .npy of columns with names and without, and where it is cut off") {
  const Folder folder;
  const std::string path = folder / "list.npy";
  const auto list = random_list(9, 40);
  const auto write = [&](const std::vector<network::NpyColumn>& columns, const std::vector<std::uint64_t>& shape,
                         auto row_of) {
    auto writer = network::NpyWriter::create(path, columns, shape, true);
    REQUIRE(writer.ok());
    for (const Listed& one : list) {
      std::string row;
      row_of(row, one);
      REQUIRE(writer.value().write(row).ok());
    }
    REQUIRE(writer.value().end().ok());
  };
  write({{"", "<f8"}}, {4}, [](std::string& row, const Listed& one) {
    for (const double number :
         {static_cast<double>(one.source), static_cast<double>(one.target), one.weight, one.delay_ms})
      network::append_number(row, number);
  });
  CHECK((read(path) == list));
  const std::string whole = contents_of(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(folder / "cut.npy", whole.substr(0, length));
    REQUIRE(refused(folder / "cut.npy").size() > 10);
  }
  write({{"delay", "<f8"}, {"post", "<u4"}, {"weight", "<f8"}, {"pre", "<u4"}}, {},
        [](std::string& row, const Listed& one) {
          network::append_number(row, one.delay_ms), network::append_number(row, one.target);
          network::append_number(row, one.weight), network::append_number(row, one.source);
        });
  CHECK((read(path) == list));
  write({{"", "<i8"}}, {2}, [](std::string& row, const Listed& one) {
    network::append_number(row, std::int64_t{one.source}), network::append_number(row, std::int64_t{one.target});
  });
  const auto pairs = read(path, {.weight = 0.125, .delay_ms = 3.0});
  REQUIRE(pairs.size() == list.size());
  for (std::size_t at = 0; at < list.size(); ++at)
    CHECK((pairs[at] == Listed{list[at].source, list[at].target, 0.125, 3.0}));
  write({{"", "<i4"}}, {2}, [](std::string& row, const Listed& one) {
    network::append_number(row, std::int32_t{5}),
        network::append_number(row, static_cast<std::int32_t>(one.delay_ms) - 9);
  });
  CHECK(refused(path).find(", counted from 0, is refused: a target is -") != std::string::npos);
  write({{"", "<f4"}}, {5}, [](std::string& row, const Listed&) {
    for (int at = 0; at < 5; ++at) network::append_number(row, 1.0F);
  });
  CHECK(refused(path) == "its rows have 5 numbers, which are no source, target, weight and delay");
  write({{"", "<f4"}}, {}, [](std::string& row, const Listed&) { network::append_number(row, 1.0F); });
  CHECK(refused(path) == "its rows have 1 numbers, which are no source, target, weight and delay");
  write({{"pre", "<u4"}, {"tau_rec", "<u4"}}, {}, [](std::string& row, const Listed& one) {
    network::append_number(row, one.source), network::append_number(row, one.source);
  });
  CHECK(refused(path) == "a column is called 'tau_rec', which is not known here");
}

TEST_CASE("connection_file: one population of several is numbered from its first neuron") {
  const Folder folder;
  std::string text;
  std::vector<Listed> expected;
  std::mt19937 random(1);
  for (int at = 0; at < 500; ++at) {
    const auto source = static_cast<std::uint32_t>(random() % 100), target = static_cast<std::uint32_t>(random() % 100);
    text += std::to_string(source) + " " + std::to_string(target) + " -2 1\n";
    if (source >= 80 && target < 80) expected.push_back({source - 80, target, 0.002, 1.0});
  }
  write_file(folder / "all.txt", text);
  const auto found =
      read(folder / "all.txt", {.weight_unit = 0.001, .magnitudes = true, .sources = {80, 100}, .targets = {0, 80}});
  CHECK(expected.size() > 40);
  CHECK((found == expected));
}
