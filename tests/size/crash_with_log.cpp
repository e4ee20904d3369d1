// SPDX-License-Identifier: BSL-1.0
// The same with 64 words of the log.
#include "crash.hpp"

int main() { return measured::send<64>(); }
