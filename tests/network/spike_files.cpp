// SPDX-License-Identifier: BSL-1.0
// Writes spikes that any of the tools may be asked for, and reads what they have made of them.
//
// usage: network.spike_files write text|npy FOLDER     two populations, `exc` of 50 neurons and `inh` of 9, 300 ms
//        network.spike_files read FILE                 "neuron at step" of each spike; what was refused on stderr
#include <neuromorph/network/spike_files.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace neuromorph;

namespace {

int complain(const std::string& sentence) { return std::fprintf(stderr, "%s\n", sentence.c_str()), 1; }

int write(const std::string& format, const std::string& folder) {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  net.add_source("exc", 50);
  net.add_source("inh", 9);
  auto recorder = network::FileRecorder::open(
      net, all_spikes(net),
      {.folder = folder, .spikes = format == "text" ? network::SpikeFormat::text : network::SpikeFormat::npy});
  if (!recorder) return complain(recorder.sentence());
  for (std::uint64_t step = 1; step <= 3000; ++step)
    for (std::uint32_t population = 0; population < 2; ++population) {
      std::vector<std::uint32_t> fired;
      for (std::uint32_t neuron = 0; neuron < net.populations()[population].count; ++neuron)
        if ((step * 2654435761U + neuron * 40503U + population) % 97 == 0) fired.push_back(neuron);
      if (auto refusal = recorder.value().on_spikes(step, network::PopulationId(population), fired); !refusal)
        return complain(refusal.sentence());
    }
  const auto refusal = recorder.value().on_end(3000);
  return refusal ? 0 : complain(refusal.sentence());
}

int read(const std::string& path) {
  network::Recording recording;
  const network::SpikeForm form{.neurons = path.find(".npy") == std::string::npos ? 0U : 50U,
                                .dt_ms = path.find(".npy") == std::string::npos ? 0.0 : 0.1};
  if (auto refusal = network::read_spikes(path, recording, form); !refusal) return complain(refusal.sentence());
  recording.populations[0].spikes.each([](std::uint64_t step, std::uint32_t neuron) {
    std::printf("%u at %llu\n", unsigned(neuron), static_cast<unsigned long long>(step));
  });
  return 0;
}

} // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "write" && count == 4) return write(words[2], words[3]);
  if (what == "read" && count == 3) return read(words[2]);
  return complain("usage: write text|npy FOLDER, or read FILE");
}
