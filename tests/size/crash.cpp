// SPDX-License-Identifier: BSL-1.0
// A mailbox with a crash report of 128 words of the stack: the entry of a fault, the report, what sends it.
#include "crash.hpp"

int main() { return measured::send<0>(); }
