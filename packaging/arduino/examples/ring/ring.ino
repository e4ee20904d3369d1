// SPDX-License-Identifier: BSL-1.0
// A hundred neurons that fire by their own drive, stepped every millisecond; prints how often.
#include <neuromorph.h>

using Model = neuromorph::Lif<1>;
constexpr auto made = Model::make({.membrane = {.tau_ms = 20, .c_nf = 0.25, .i_offset_na = 0.3}}, 1.0);
constinit neuromorph::RingBuffer<neuromorph::SynapticWord<8, 1, 4>> input;
constinit neuromorph::Population<Model, 100> neurons(made.value());
std::uint32_t steps, spikes;

void setup() { Serial.begin(115200); }

void loop() {
  static unsigned long due = millis();
  if (static_cast<long>(millis() - due) < 0) return;
  ++due;
  spikes += neurons.step(input, ++steps).size();
  if (steps % 1000 == 0) {
    Serial.print(spikes);
    Serial.println(" spikes");
    spikes = 0;
  }
}
