// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spikes and words to files as a run goes on, in bounded memory, and spikes from such files.
///
/// A text file has a line `time_in_ms neuron` for each spike; a .npy file has rows of `time_ms` and `neuron`. Either says that
/// it is whole: the text in its last line, the .npy file in its head. One that is not is refused in words.
// host-only
#ifndef NEUROMORPH_NETWORK_SPIKE_FILES_HPP
#define NEUROMORPH_NETWORK_SPIKE_FILES_HPP

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/detail/line_reader.hpp>
#include <neuromorph/network/detail/output_file.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/npy.hpp>
#include <neuromorph/network/recorder.hpp>
#include <neuromorph/network/recording.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

enum class SpikeFormat : std::uint8_t {
  text, ///< `<population>.txt`
  npy   ///< `<population>.npy`, 12 bytes a spike
};

struct FileOptions {
  std::string folder = ".";
  SpikeFormat spikes = SpikeFormat::npy;
  bool replace = false; ///< files that are there
};

/// What a file does not say of its spikes.
struct SpikeForm {
  std::string name = {};
  std::uint32_t neurons = 0; ///< of the population; 0: as the file says
  double dt_ms = 0.0;        ///< 0: as the file says
  std::uint64_t steps = 0;   ///< of the run; 0: as the file says
};

namespace detail {

/// With as many digits as all times of a run need, and no more: 0.3 for step 3 of 0.1 ms.
inline void append_time(std::string& to, std::uint64_t step, double dt_ms) {
  std::array<char, 32> text;
  const double ms = static_cast<double>(step) * dt_ms;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), ms, std::chars_format::general, 15).ptr;
  to.append(text.data(), end);
}

/// A file's name without what a folder or a shell takes for something else.
[[nodiscard]] inline std::string file_name(std::string_view population) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";
  std::string name(population.substr(0, 100));
  for (char& one : name)
    if (plain.find(one) == std::string_view::npos) one = '_';
  return name.empty() ? "_" : name;
}

class TextSpikes {
public:
  static Answer<TextSpikes> create(const std::string& path, const Population& population, double dt_ms, bool replace) {
    auto file = OutputFile::create(path, replace);
    if (!file) return file.refusal();
    TextSpikes made(std::move(file).value(), dt_ms);
    std::string head = "# " + host::on_one_line(population.name.substr(0, 1000)) + ": " +
                       std::to_string(population.count) + " neurons, ";
    std::array<char, 32> dt;
    head.append(dt.data(), std::to_chars(dt.data(), dt.data() + dt.size(), dt_ms).ptr);
    if (Refusal refusal = made.file_.write(head + " ms a step\n"); !refusal) return refusal;
    return made;
  }
  Refusal write(std::uint64_t step, std::span<const std::uint32_t> neurons) {
    time_.clear();
    append_time(time_, step, dt_ms_);
    lines_.clear();
    for (const std::uint32_t neuron : neurons) {
      std::array<char, 12> text;
      text[0] = ' ';
      char* const end = std::to_chars(text.data() + 1, text.data() + 11, neuron).ptr;
      *end = '\n';
      lines_ += time_;
      lines_.append(text.data(), end + 1);
    }
    spikes_ += neurons.size();
    return file_.write(lines_);
  }
  Refusal end(std::uint64_t steps) {
    const std::string last = "# " + std::to_string(steps) + " steps, " + std::to_string(spikes_) + " spikes\n";
    if (Refusal refusal = file_.write(last); !refusal) return refusal;
    return file_.close();
  }

private:
  TextSpikes(OutputFile file, double dt_ms) : file_(std::move(file)), dt_ms_(dt_ms) {}

  OutputFile file_;
  double dt_ms_;
  std::string time_, lines_;
  std::uint64_t spikes_ = 0;
};

inline std::vector<NpyColumn> spike_columns() { return {{"time_ms", "<f8"}, {"neuron", "<u4"}}; }

class NpySpikes {
public:
  static Answer<NpySpikes> create(const std::string& path, const Population&, double dt_ms, bool replace) {
    auto writer = NpyWriter::create(path, spike_columns(), {}, replace);
    if (!writer) return writer.refusal();
    return NpySpikes(std::move(writer).value(), dt_ms);
  }
  Refusal write(std::uint64_t step, std::span<const std::uint32_t> neurons) {
    rows_.clear();
    const double ms = static_cast<double>(step) * dt_ms_;
    for (const std::uint32_t neuron : neurons) {
      append_number(rows_, ms);
      append_number(rows_, neuron);
    }
    return writer_.write(rows_);
  }
  Refusal end(std::uint64_t) { return writer_.end(); }

private:
  NpySpikes(NpyWriter writer, double dt_ms) : writer_(std::move(writer)), dt_ms_(dt_ms) {}

  NpyWriter writer_;
  double dt_ms_;
  std::string rows_;
};

} // namespace detail

/// Records into files of a folder: spikes of each population, and words as .npy arrays [times][neurons] named
/// `<population>.word<n>.npy`. Row k is of the k-th step whose number is a multiple of `every`.
class FileRecorder final : public Recorder {
public:
  /// Begins all files, so that a long run is not begun in vain.
  /// \errors those of check; file_failed: a folder that is missing, a name that is taken, ...; parameters_contradict: two
  ///         populations whose files would have one name
  [[nodiscard]] static Answer<FileRecorder> open(const Network& net, Wanted wanted, const FileOptions& options = {}) {
    if (Refusal refusal = check(net, wanted); !refusal) return refusal;
    FileRecorder recorder(std::move(wanted));
    if (Refusal refusal = recorder.begin(net, options); !refusal) return refusal;
    return recorder;
  }

  /// \errors file_failed, at the latest at the next call; index_out_of_range: nobody asked for that population
  Refusal on_spikes(std::uint64_t step, PopulationId population, std::span<const std::uint32_t> neurons) override {
    const std::size_t at = place_of(population);
    if (at == spikes_.size()) return unasked(population);
    return std::visit([&](auto& file) { return file.write(step, neurons); }, spikes_[at]);
  }
  /// \errors as on_spikes; lengths_differ: as many words as neurons were asked for
  Refusal on_words(std::uint64_t, PopulationId population, std::size_t word,
                   std::span<const std::int32_t> words) override {
    const std::size_t at = place_of(population, word);
    if (at == words_.size()) return unasked(population);
    if (words.size() != wanted().words[at].neurons.size())
      return {{Error::lengths_differ, 0, words.size(), "words"}, words_[at].path()};
    row_.clear();
    for (const std::int32_t one : words) append_number(row_, one);
    return words_[at].write(row_);
  }
  /// All files are whole if this is not refused.
  /// \errors file_failed
  Refusal on_end(std::uint64_t steps) override {
    Refusal first;
    for (auto& one : spikes_)
      if (Refusal refusal = std::visit([&](auto& file) { return file.end(steps); }, one); first && !refusal)
        first = std::move(refusal);
    for (NpyWriter& one : words_)
      if (Refusal refusal = one.end(); first && !refusal) first = std::move(refusal);
    return first;
  }

  /// Of spikes, in the order of `wanted().spikes`, then of words.
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }

private:
  explicit FileRecorder(Wanted wanted) : Recorder(std::move(wanted)) {}

  Refusal begin(const Network& net, const FileOptions& options) {
    std::map<std::string, PopulationId> owners;
    for (std::uint32_t at = 0; at < net.populations().size(); ++at) {
      const auto [owner, is_new] = owners.insert({detail::file_name(net.populations()[at].name), PopulationId(at)});
      if (!is_new && is_wanted(PopulationId(at)) && is_wanted(owner->second))
        return {{Error::parameters_contradict, 0, at, "population"},
                net.name(PopulationId(at)),
                "its files would have the names of those of " + net.name(owner->second)};
    }
    const double dt_ms = net.settings().dt_ms;
    const auto path_of = [&](PopulationId id, const std::string& ending) {
      paths_.push_back(options.folder + "/" + detail::file_name(net[id].name) + ending);
      return paths_.back();
    };
    for (const PopulationId id : wanted().spikes) {
      const bool is_text = options.spikes == SpikeFormat::text;
      const std::string path = path_of(id, is_text ? ".txt" : ".npy");
      Refusal refusal = is_text ? keep(detail::TextSpikes::create(path, net[id], dt_ms, options.replace))
                                : keep(detail::NpySpikes::create(path, net[id], dt_ms, options.replace));
      if (!refusal) return refusal;
    }
    for (const WantedWords& one : wanted().words) {
      auto file = NpyWriter::create(path_of(one.population, ".word" + std::to_string(one.word) + ".npy"), {{"", "<i4"}},
                                    {one.neurons.size()}, options.replace);
      if (!file) return file.refusal();
      words_.push_back(std::move(file).value());
    }
    return {};
  }
  [[nodiscard]] bool is_wanted(PopulationId id) const noexcept {
    for (const WantedWords& one : wanted().words)
      if (one.population == id) return true;
    return place_of(id) != wanted().spikes.size();
  }
  template <class File>
  Refusal keep(Answer<File> file) {
    if (!file) return file.refusal();
    spikes_.emplace_back(std::move(file).value());
    return {};
  }
  [[nodiscard]] static Refusal unasked(PopulationId population) {
    return {{Error::index_out_of_range, 0, std::uint32_t(population), "population"},
            "a recorder that did not ask for it"};
  }

  std::vector<std::variant<detail::TextSpikes, detail::NpySpikes>> spikes_;
  std::vector<NpyWriter> words_;
  std::vector<std::string> paths_;
  std::string row_;
};

namespace detail {

/// Takes the spikes of a file, and what is wrong with one.
class SpikeTaker {
public:
  SpikeTaker(const std::string& path, const char* unit, SpikeForm form)
      : path_(path), unit_(unit), form_(std::move(form)) {}

  SpikeForm& form() noexcept { return form_; }
  RecordedPopulation& population() noexcept { return population_; }

  /// Whether numbers of neurons and times make sense.
  [[nodiscard]] Refusal check() const {
    if (form_.neurons == 0) return wrong(0, "it does not say of how many neurons it is, and nobody else has");
    if (form_.neurons > Network::most_neurons) return wrong(0, "it is of more neurons than a population may have");
    if (!(form_.dt_ms > 0.0 && form_.dt_ms < 1e6))
      return wrong(0, "it does not say how long a step is, and nobody else has");
    return {};
  }
  Refusal take(std::uint64_t where, double ms, double neuron) {
    if (!(neuron >= 0.0 && neuron < form_.neurons) || neuron != std::floor(neuron))
      return wrong(where, "neuron " + number(neuron) + " is none of the " + std::to_string(form_.neurons));
    const double steps = ms / form_.dt_ms, step = std::floor(steps + 0.5);
    if (!(step >= 1.0 && step < 0x1p52 && std::fabs(steps - step) < 0.01))
      return wrong(where, number(ms) + " ms is not the time of a step of " + number(form_.dt_ms) + " ms");
    const auto at = static_cast<std::uint64_t>(step);
    if (at < population_.spikes.last_step())
      return wrong(where, number(ms) + " ms is before the spike that it follows");
    if (form_.steps != 0 && at > form_.steps) return wrong(where, number(ms) + " ms is after the end of the run");
    population_.spikes.add(at, static_cast<std::uint32_t>(neuron));
    return {};
  }
  [[nodiscard]] Refusal wrong(std::uint64_t where, const std::string& why) const {
    return file_malformed(path_, where,
                          where == 0 ? why : std::string(unit_) + " " + std::to_string(where) + ": " + why);
  }

private:
  [[nodiscard]] static std::string number(double value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }

  const std::string& path_;
  const char* unit_;
  SpikeForm form_;
  RecordedPopulation population_;
};

/// Takes a number from the beginning of a text.
template <class Number>
[[nodiscard]] bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
[[nodiscard]] inline bool take_word(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

/// "# name: 3200 neurons, 0.1 ms a step"
[[nodiscard]] inline bool read_text_head(std::string_view line, SpikeForm& form) {
  const std::size_t colon = line.rfind(": ");
  if (line.substr(0, 2) != "# " || colon == std::string_view::npos || colon < 2) return false;
  SpikeForm read{.name = std::string(line.substr(2, colon - 2))};
  line.remove_prefix(colon + 2);
  if (!take_number(line, read.neurons) || !take_word(line, " neurons, ") || !take_number(line, read.dt_ms) ||
      line != " ms a step")
    return false;
  form = std::move(read);
  return true;
}
/// "# 20000 steps, 5432 spikes"
[[nodiscard]] inline bool read_text_end(std::string_view line, std::uint64_t& steps, std::uint64_t& spikes) {
  return take_word(line, "# ") && take_number(line, steps) && take_word(line, " steps, ") &&
         take_number(line, spikes) && line == " spikes";
}

[[nodiscard]] inline Refusal read_text_spikes(std::FILE* file, const std::string& path, SpikeTaker& taker) {
  LineReader lines(path, file);
  std::string_view line;
  bool has_head = false, has_end = false;
  std::uint64_t ends_at = 0;
  for (; lines.next(line); ends_at = lines.number()) {
    if (has_end) return taker.wrong(lines.number(), "it follows the line that ends the file");
    if (lines.number() == 1) {
      SpikeForm said;
      has_head = read_text_head(line, said);
      SpikeForm& form = taker.form();
      if (has_head &&
          ((form.neurons != 0 && form.neurons != said.neurons) || (form.dt_ms > 0.0 && form.dt_ms != said.dt_ms)))
        return taker.wrong(1, "neurons or step are not those that were said");
      if (has_head) form.neurons = said.neurons, form.dt_ms = said.dt_ms;
      if (has_head && form.name.empty()) form.name = said.name;
      if (Refusal refusal = taker.check(); !refusal) return refusal;
    }
    std::uint64_t steps = 0, spikes = 0;
    if (has_head && read_text_end(line, steps, spikes)) {
      if (spikes != taker.population().spikes.size())
        return taker.wrong(lines.number(), "the file has " + std::to_string(taker.population().spikes.size()) +
                                               " spikes, and here it says " + std::to_string(spikes));
      if (steps < taker.population().spikes.last_step())
        return taker.wrong(lines.number(), "the run ends before its last spike");
      if (taker.form().steps != 0 && taker.form().steps != steps)
        return taker.wrong(lines.number(), "steps are not those that were said");
      taker.form().steps = steps;
      has_end = true;
      continue;
    }
    if (line.empty() || line[0] == '#') continue;
    double ms = 0.0;
    std::uint32_t neuron = 0;
    std::string_view rest = line;
    const bool has_time = take_number(rest, ms) && !rest.empty() && (rest[0] == ' ' || rest[0] == '\t');
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) rest.remove_prefix(1);
    if (!has_time || !take_number(rest, neuron) || !rest.empty())
      return taker.wrong(lines.number(), "it is not a time in ms and the number of a neuron: '" +
                                             std::string(line.substr(0, 60)) + "'");
    if (Refusal refusal = taker.take(lines.number(), ms, neuron); !refusal) return refusal;
  }
  if (!lines.refusal()) return lines.refusal();
  if (has_head && !has_end)
    return taker.wrong(
        ends_at,
        "the last line does not end the file: the run that wrote it stopped before its end, or it was cut off");
  return taker.check();
}

[[nodiscard]] inline Refusal read_npy_spikes(const std::string& path, SpikeTaker& taker) {
  auto opened = NpyReader::open(path);
  if (!opened) return opened.refusal();
  NpyReader reader = std::move(opened).value();
  const std::size_t time = reader.place_of("time_ms"), neuron = reader.place_of("neuron");
  if (time == reader.columns().size() || neuron == reader.columns().size())
    return taker.wrong(0, "it has no columns 'time_ms' and 'neuron'");
  if (Refusal refusal = taker.check(); !refusal) return refusal;
  return reader.each([&](std::uint64_t number, const NpyRow& row) {
    return taker.take(number + 1, row.number(time), row.number(neuron));
  });
}

} // namespace detail

/// Reads the spikes of a population, from a text file or a .npy file, and adds it to a recording: the first of it gives the
/// recording its step. It is as long as the longest.
///
/// \param form  what the file does not say: all of a .npy file, whose name is that of the file if none is given; of text
///              without a first line as FileRecorder writes it. Steps of 0: up to the last spike
/// \errors file_failed; file_malformed: it is no such file, was cut off, was not ended, has spikes that cannot be, in a line or a
///         row, from 1; parameters_contradict: its step is not that of the recording. The recording is as it was
/// \cost   8 bytes a spike, and one buffer
[[nodiscard]] inline Refusal read_spikes(const std::string& path, Recording& into, const SpikeForm& form = {}) {
  errno = 0;
  detail::OpenFile file(std::fopen(path.c_str(), "rb"));
  std::array<char, 1> begin{};
  if (file == nullptr) return detail::file_failed(path, "read it");
  const std::size_t had = std::fread(begin.data(), 1, begin.size(), file.get());
  if (std::ferror(file.get()) != 0) return detail::file_failed(path, "read it");
  if (had == 0) return detail::file_malformed(path, 0, "it is empty: nothing says that no spikes are all there were");
  std::rewind(file.get());

  const bool is_npy = begin[0] == '\x93';
  detail::SpikeTaker taker(path, is_npy ? "row" : "line", form);
  if (Refusal refusal =
          is_npy ? detail::read_npy_spikes(path, taker) : detail::read_text_spikes(file.get(), path, taker);
      !refusal)
    return refusal;

  RecordedPopulation& read = taker.population();
  read.name = taker.form().name.empty() ? path.substr(path.rfind('/') + 1) : taker.form().name;
  read.neurons = taker.form().neurons;
  if (!into.populations.empty() && into.dt_ms != taker.form().dt_ms)
    return {{Error::parameters_contradict, 0, taker.form().dt_ms, "dt_ms"},
            path,
            "its step is not that of the populations that were read before"};
  const std::uint64_t steps = taker.form().steps != 0 ? taker.form().steps : read.spikes.last_step();
  if (into.populations.empty() || steps > into.steps) into.steps = steps;
  into.dt_ms = taker.form().dt_ms;
  into.populations.push_back(std::move(read));
  return {};
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
