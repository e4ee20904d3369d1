// SPDX-License-Identifier: BSL-1.0
// A mailbox with a profiler that summarises: four tags announced, one scope, a step, a report.
#include "profiler.hpp"

namespace {
constinit measured::firmware::SummarisedProfiler profiler(measured::Tags{}, measured::Timer{},
                                                          measured::mailbox.writer<"prof">());
} // namespace

int main() { return measured::profile(profiler); }
