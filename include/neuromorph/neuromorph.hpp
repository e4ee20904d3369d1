// SPDX-License-Identifier: BSL-1.0
/// \file
/// Every portable header of the library.
#ifndef NEUROMORPH_NEUROMORPH_HPP
#define NEUROMORPH_NEUROMORPH_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/fixed.hpp>
#include <neuromorph/kernels/byte_table.hpp>
#include <neuromorph/kernels/compact_lif.hpp>
#include <neuromorph/kernels/discrete_table.hpp>
#include <neuromorph/kernels/distribution.hpp>
#include <neuromorph/kernels/jkiss64.hpp>
#include <neuromorph/kernels/kiss32.hpp>
#include <neuromorph/kernels/lif.hpp>
#include <neuromorph/kernels/neuron_model.hpp>
#include <neuromorph/kernels/packed_lif.hpp>
#include <neuromorph/kernels/pair_table.hpp>
#include <neuromorph/kernels/philox.hpp>
#include <neuromorph/kernels/poisson.hpp>
#include <neuromorph/kernels/population.hpp>
#include <neuromorph/kernels/random_source.hpp>
#include <neuromorph/kernels/refractory_queue.hpp>
#include <neuromorph/kernels/ring_buffer.hpp>
#include <neuromorph/kernels/rowlet.hpp>
#include <neuromorph/kernels/rules/additive.hpp>
#include <neuromorph/kernels/rules/constant.hpp>
#include <neuromorph/kernels/rules/homeostasis.hpp>
#include <neuromorph/kernels/rules/multiplicative.hpp>
#include <neuromorph/kernels/rules/random_walk.hpp>
#include <neuromorph/kernels/rules/stdp.hpp>
#include <neuromorph/kernels/rules/weight_range.hpp>
#include <neuromorph/kernels/sfc32.hpp>
#include <neuromorph/kernels/synaptic_row.hpp>
#include <neuromorph/kernels/synaptic_word.hpp>
#include <neuromorph/kernels/uniform.hpp>
#include <neuromorph/kernels/word_table.hpp>
#include <neuromorph/mask.hpp>
#include <neuromorph/mask_wrapper.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/rule_sequence.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/synapse_set.hpp>
#include <neuromorph/tagged_mask.hpp>
#include <neuromorph/target/backend.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/native.hpp>
#include <neuromorph/target/vector_lanes.hpp>
#include <neuromorph/target/vectors.hpp>
#include <neuromorph/target/word_loops.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>
#include <neuromorph/vector_rule.hpp>

#endif
