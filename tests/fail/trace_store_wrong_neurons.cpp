// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a TraceStore has 1 to 65535 neurons; see docs/traces.md
#include <cstddef>

#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr std::size_t neurons = 65536;
#else
constexpr std::size_t neurons = 65535;
#endif
neuromorph::TraceStore<char, neurons, neuromorph::gc::Fifo<100>> store;
