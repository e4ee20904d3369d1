// SPDX-License-Identifier: BSL-1.0
// Any cell, weights and drive of a neuron model beside integers that cannot wrap: one byte chooses the model, the
// others are the words that a case is drawn from, the last again and again. The same program for a fuzzer and to go
// through a folder of inputs once more.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/neuron_battery.hpp"

namespace {

/// Two bytes are a word; after the last come as many as a case may take that nobody chose.
class FromBytes : public neuron_battery::Draw {
public:
  FromBytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size / 2) {}
  std::uint32_t word() override {
    if (left_ != 0) {
      last_ = std::uint32_t{data_[0]} << 8U | data_[1];
      data_ += 2, --left_;
    } else {
      ++beyond_;
    }
    // spread, for draws that look at the upper bits and those that look at the lower
    return last_ * 0x00010001U + beyond_ * 0x9E3779B9U;
  }
  bool ended() const override { return beyond_ > 2000; }

private:
  const std::uint8_t* data_;
  std::size_t left_;
  std::uint32_t last_ = 0, beyond_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  FromBytes draw(data + 1, size - 1);
  neuron_battery::Tally tally;
  const std::string wrong = neuron_battery::run_one(data[0], draw, tally);
  if (!wrong.empty()) {
    std::fprintf(stderr, "model %u: %s\n", data[0] % neuron_battery::kinds, wrong.c_str());
    std::abort();
  }
  return 0;
}
