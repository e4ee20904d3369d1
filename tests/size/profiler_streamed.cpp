// SPDX-License-Identifier: BSL-1.0
// A mailbox with a profiler that streams: four tags announced, one scope, a step.
#include "profiler.hpp"

namespace {
constinit const measured::firmware::StreamedProfiler profiler(measured::Tags{}, measured::Timer{},
                                                              measured::mailbox.writer<"prof">());
} // namespace

int main() { return measured::profile(profiler); }
