// SPDX-License-Identifier: BSL-1.0
// Neurons in which every pair of parts occurs that may: 115 of them, in 8 lists of 15 at most.
// Written by 'python3 tests/checks/compositions.py write', which explains it.
#ifndef TESTS_SUPPORT_COMPOSITIONS_HPP
#define TESTS_SUPPORT_COMPOSITIONS_HPP

// clang-format off
#define COMPOSITIONS_1(X) \
  X(0, membrane::LifConductance<>, synapse::DoubleExponential<2>, input::Conductance<2>, \
    PerNeuron<refractory::InMembrane>, adaptation::SpikeTriggered, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(1, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<2>, input::Conductance<2>, \
    threshold::Adaptive, PerNeuron<reset::Subtraction>, refractory::Counted, adaptation::Calcium, \
    current::WhiteNoise<>) \
  X(2, PerNeuron<membrane::AdEx, &membrane::AdEx::Constants<std::int32_t>::drift>, synapse::Exponential<3>, \
    reset::LateSubtraction, current::WhiteNoise<>, rounding::Stochastic) \
  X(3, membrane::LifConductance<>, synapse::Alpha<2>, input::Multiplicative<>, threshold::None, reset::None, \
    refractory::Counted, adaptation::Calcium, PerNeuron<current::OrnsteinUhlenbeck<>>, rounding::Stochastic) \
  X(4, membrane::Linear<2, 1, 0, 1>, PerNeuron<synapse::Exponential<1>>, threshold::Adaptive, reset::None, \
    adaptation::SpikeTriggered, current::Direct) \
  X(5, membrane::Izhikevich, synapse::Driven<2, 10>, threshold::Stochastic, reset::Subtraction, adaptation::Calcium, \
    current::Steps, rounding::Nearest) \
  X(6, PerNeuron<membrane::Integrator>, synapse::DoubleExponential<2>, input::Multiplicative<>, threshold::Adaptive, \
    current::WhiteNoise<NoiseOf::population>) \
  X(7, membrane::Lif, synapse::Delta<2>, threshold::None, PerNeuron<reset::ToValue>, refractory::Counted, \
    current::Direct, rounding::Nearest) \
  X(8, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>, \
    &membrane::IzhikevichBy<method::RungeKutta4>::Constants<std::int32_t>::drift>, synapse::Exponential<2>, \
    input::Multiplicative<>, threshold::Stochastic, refractory::Counted, adaptation::SpikeTriggered, current::Steps, \
    rounding::Stochastic) \
  X(9, membrane::Izhikevich, synapse::Exponential<1>, PerNeuron<input::Conductance<1>>, threshold::None, \
    reset::Subtraction, refractory::Counted, adaptation::SpikeTriggered, current::WhiteNoise<NoiseOf::population>, \
    rounding::Stochastic) \
  X(10, membrane::Linear<2, 1, 0, 1>, synapse::Alpha<2>, input::Multiplicative<>, PerNeuron<threshold::Stochastic>, \
    reset::Subtraction, refractory::Counted, rounding::Nearest) \
  X(11, membrane::AdEx, synapse::Exponential<3>, input::Conductance<3>, threshold::Stochastic, reset::None, \
    PerNeuron<refractory::Counted>, adaptation::Calcium, current::Alternating) \
  X(12, membrane::Integrator, synapse::ExponentialPair, reset::Subtraction, refractory::Counted, \
    PerNeuron<adaptation::Calcium>, current::OrnsteinUhlenbeck<>) \
  X(13, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Delta<1>, PerNeuron<threshold::Adaptive>, reset::None, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Stochastic) \
  X(14, membrane::Lif, synapse::Alpha<2>, PerNeuron<input::Multiplicative<>>, refractory::InMembrane, \
    adaptation::Calcium, current::Direct, rounding::Stochastic)
#define COMPOSITIONS_2(X) \
  X(15, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>>, synapse::Exponential<1>, input::Conductance<1>, \
    reset::LateSubtraction, adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(16, membrane::Lif, synapse::Difference, reset::None, adaptation::SpikeTriggered) \
  X(17, PerNeuron<membrane::LifConductance<>>, synapse::Driven<1, 10>, threshold::None, reset::Subtraction, \
    current::Alternating) \
  X(18, membrane::Izhikevich, synapse::Alpha<2>, PerNeuron<input::Conductance<2>>, reset::LateSubtraction, \
    current::Steps) \
  X(19, membrane::Integrator, synapse::ExponentialPair, threshold::Stochastic, reset::None, \
    adaptation::SpikeTriggered, PerNeuron<current::WhiteNoise<>>, rounding::Nearest) \
  X(20, membrane::LifConductance<>, PerNeuron<synapse::Exponential<2>>, reset::LateSubtraction, refractory::Counted, \
    adaptation::Calcium, current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(21, membrane::Integrator, PerNeuron<synapse::Driven<2, 10>>, refractory::InMembrane, current::Alternating, \
    rounding::Stochastic) \
  X(22, membrane::Linear<2, 1, 0, 1>, synapse::DoubleExponential<2>, input::Multiplicative<>, reset::LateSubtraction, \
    refractory::Counted, PerNeuron<adaptation::Calcium>, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Stochastic) \
  X(23, membrane::AdEx, synapse::Exponential<3>, input::Conductance<3>, threshold::Adaptive, \
    PerNeuron<adaptation::SpikeTriggered>, rounding::Nearest) \
  X(24, membrane::AdEx, synapse::DoubleExponential<2>, input::Multiplicative<>, threshold::None, refractory::Counted, \
    current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(25, membrane::Lif, synapse::Exponential<1>, PerNeuron<refractory::InQueue>, rounding::Stochastic) \
  X(26, PerNeuron<membrane::LifConductance<>, &membrane::LifConductance<>::Constants<std::int32_t>::drift>, \
    synapse::Difference, refractory::InMembrane, adaptation::Calcium) \
  X(27, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<2>, input::Multiplicative<>, threshold::None, \
    PerNeuron<current::WhiteNoise<>>) \
  X(28, membrane::Lif, synapse::Driven<1, 10>, threshold::Stochastic, reset::None, refractory::Counted, \
    PerNeuron<adaptation::SpikeTriggered>, current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(29, membrane::Izhikevich, synapse::Delta<2>, PerNeuron<threshold::Adaptive>, reset::None, \
    adaptation::SpikeTriggered, current::Alternating)
#define COMPOSITIONS_3(X) \
  X(30, membrane::Integrator, synapse::Difference, threshold::None, reset::Subtraction, \
    PerNeuron<refractory::Counted>, current::Steps, rounding::Nearest) \
  X(31, membrane::AdEx, synapse::Delta<1>, reset::Subtraction, refractory::Counted, adaptation::SpikeTriggered, \
    PerNeuron<current::WhiteNoise<NoiseOf::population>>) \
  X(32, PerNeuron<membrane::Integrator, &membrane::Integrator::Constants<std::int32_t>::drift>, synapse::Alpha<2>, \
    threshold::None, reset::Subtraction, adaptation::SpikeTriggered, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(33, membrane::Integrator, synapse::Driven<1, 10>, PerNeuron<reset::LateSubtraction>, adaptation::Calcium, \
    rounding::Stochastic) \
  X(34, membrane::Izhikevich, synapse::DoubleExponential<2>, input::Multiplicative<>, threshold::Stochastic, \
    PerNeuron<reset::Subtraction>, refractory::Counted, adaptation::SpikeTriggered, current::Alternating, \
    rounding::Nearest) \
  X(35, membrane::Lif, synapse::Driven<2, 10>, threshold::Adaptive, reset::None, refractory::Counted, \
    adaptation::SpikeTriggered, PerNeuron<current::Direct>, \
    PerNeuron<current::OrnsteinUhlenbeck<NoiseOf::population>>) \
  X(36, PerNeuron<membrane::Lif>, synapse::Delta<2>, refractory::InMembrane, adaptation::Calcium, \
    current::WhiteNoise<>, rounding::Stochastic) \
  X(37, PerNeuron<membrane::Izhikevich>, synapse::Exponential<2>, input::Conductance<2>, threshold::Stochastic, \
    refractory::Counted, adaptation::Calcium, current::Direct, rounding::Stochastic) \
  X(38, membrane::LifConductance<>, synapse::Exponential<1>, input::Conductance<1>, refractory::InMembrane, \
    adaptation::Calcium, current::Steps, rounding::Nearest) \
  X(39, membrane::LifConductance<>, synapse::Delta<1>, PerNeuron<threshold::Stochastic>, refractory::Counted, \
    adaptation::Calcium, current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(40, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Alpha<2>, input::Multiplicative<>, threshold::Adaptive, \
    reset::Subtraction, PerNeuron<refractory::Counted>, current::Direct) \
  X(41, membrane::IzhikevichBy<method::RungeKutta4>, synapse::ExponentialPair, reset::LateSubtraction, \
    current::Alternating, rounding::Stochastic) \
  X(42, membrane::AdEx, PerNeuron<synapse::Driven<1, 10>>, threshold::Stochastic, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(43, membrane::Izhikevich, PerNeuron<synapse::ExponentialPair>, threshold::None, reset::Subtraction, \
    refractory::Counted, adaptation::Calcium) \
  X(44, membrane::Lif, PerNeuron<synapse::DoubleExponential<2>>, threshold::Adaptive, reset::None, \
    refractory::Counted, current::Steps, rounding::Stochastic)
#define COMPOSITIONS_4(X) \
  X(45, PerNeuron<membrane::Izhikevich, &membrane::Izhikevich::Constants<std::int32_t>::drift>, synapse::Driven<1, \
    10>, threshold::Adaptive, reset::None, refractory::Counted, adaptation::SpikeTriggered, \
    current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(46, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Difference, \
    reset::LateSubtraction, adaptation::Calcium, current::Alternating, rounding::Stochastic) \
  X(47, membrane::LifConductance<>, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, threshold::Adaptive, \
    reset::None, refractory::Counted, current::Alternating, rounding::Nearest) \
  X(48, membrane::LifConductance<>, synapse::Driven<2, 10>, threshold::None, PerNeuron<adaptation::SpikeTriggered>, \
    current::Direct) \
  X(49, membrane::Linear<2, 1, 0, 1>, synapse::Delta<2>, threshold::Adaptive, reset::Subtraction, current::Steps) \
  X(50, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>, \
    &membrane::IzhikevichBy<method::RungeKutta4>::Constants<std::int32_t>::drift>, synapse::Exponential<3>, \
    input::Conductance<3>, threshold::None, reset::Subtraction, adaptation::Calcium, \
    current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(51, PerNeuron<membrane::AdEx>, synapse::ExponentialPair, threshold::Adaptive, refractory::Counted, \
    adaptation::SpikeTriggered, current::Steps) \
  X(52, membrane::Integrator, synapse::Delta<1>, threshold::None, reset::Subtraction, adaptation::Calcium, \
    current::Direct, rounding::Nearest) \
  X(53, PerNeuron<membrane::Izhikevich>, synapse::Exponential<3>, reset::None, refractory::Counted, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(54, membrane::LifConductance<>, synapse::Delta<1>, PerNeuron<reset::ToValue>, refractory::InMembrane, \
    adaptation::SpikeTriggered, current::Steps, rounding::Nearest) \
  X(55, membrane::IzhikevichBy<method::RungeKutta4>, synapse::DoubleExponential<2>, \
    PerNeuron<input::Multiplicative<>>, threshold::Stochastic, refractory::Counted, adaptation::SpikeTriggered, \
    current::WhiteNoise<>, rounding::Stochastic) \
  X(56, membrane::AdEx, synapse::Difference, PerNeuron<threshold::Stochastic>, reset::None, refractory::Counted, \
    adaptation::Calcium, current::Direct) \
  X(57, membrane::Linear<2, 1, 0, 1>, synapse::Driven<2, 10>, reset::LateSubtraction, PerNeuron<refractory::Counted>, \
    adaptation::Calcium, current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(58, membrane::Lif, PerNeuron<synapse::DoubleExponential<2>>, input::Multiplicative<>, refractory::InQueue, \
    rounding::Nearest) \
  X(59, membrane::IzhikevichBy<method::RungeKutta4>, PerNeuron<synapse::Difference>, threshold::Adaptive, \
    adaptation::Calcium, current::OrnsteinUhlenbeck<>, rounding::Nearest)
#define COMPOSITIONS_5(X) \
  X(60, membrane::Izhikevich, synapse::Delta<1>, reset::LateSubtraction, PerNeuron<refractory::Counted>, \
    current::WhiteNoise<>) \
  X(61, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Delta<2>, reset::LateSubtraction, refractory::Counted, \
    PerNeuron<current::Direct>) \
  X(62, membrane::Integrator, synapse::Exponential<1>, PerNeuron<threshold::Stochastic>, reset::None, \
    current::WhiteNoise<>, rounding::Stochastic) \
  X(63, membrane::Lif, synapse::Exponential<2>, PerNeuron<threshold::Stochastic>, reset::Subtraction, \
    refractory::Counted, adaptation::Calcium, current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(64, membrane::Lif, synapse::ExponentialPair, PerNeuron<reset::ToValue>, refractory::InMembrane, \
    adaptation::Calcium, current::WhiteNoise<NoiseOf::population>) \
  X(65, membrane::Integrator, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, refractory::InMembrane, \
    adaptation::SpikeTriggered, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(66, membrane::LifConductance<>, PerNeuron<synapse::Exponential<3>>, input::Conductance<3>, \
    refractory::InMembrane, adaptation::Calcium, current::WhiteNoise<>) \
  X(67, membrane::AdEx, synapse::Exponential<1>, threshold::Adaptive, PerNeuron<reset::Subtraction>, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(68, membrane::Linear<2, 1, 0, 1>, synapse::Delta<1>, threshold::None, reset::Subtraction, refractory::Counted, \
    PerNeuron<adaptation::SpikeTriggered>, current::Alternating, rounding::Nearest) \
  X(69, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Delta<1>, \
    refractory::InQueue) \
  X(70, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>>, synapse::Driven<2, 10>, threshold::None, \
    reset::Subtraction, refractory::Counted, adaptation::Calcium, rounding::Stochastic) \
  X(71, membrane::Izhikevich, synapse::DoubleExponential<2>, input::Conductance<2>, threshold::Adaptive, \
    reset::Subtraction, refractory::Counted, adaptation::Calcium, PerNeuron<current::Direct>, rounding::Nearest) \
  X(72, PerNeuron<membrane::Linear<2, 1, 0, 1>>, synapse::Difference, threshold::Stochastic, reset::Subtraction, \
    adaptation::SpikeTriggered, current::WhiteNoise<NoiseOf::population>, rounding::Stochastic) \
  X(73, membrane::Izhikevich, synapse::Difference, threshold::Adaptive, reset::Subtraction, \
    PerNeuron<adaptation::SpikeTriggered>, current::WhiteNoise<>, rounding::Stochastic) \
  X(74, membrane::Lif, synapse::Exponential<3>, refractory::InMembrane, adaptation::Calcium, \
    PerNeuron<current::OrnsteinUhlenbeck<>>)
#define COMPOSITIONS_6(X) \
  X(75, membrane::AdEx, synapse::Alpha<2>, input::Conductance<2>, PerNeuron<threshold::Adaptive>, reset::None, \
    refractory::Counted, current::WhiteNoise<NoiseOf::population>, rounding::Stochastic) \
  X(76, membrane::LifConductance<>, synapse::Delta<2>, threshold::Stochastic, reset::None, \
    PerNeuron<refractory::Counted>, current::WhiteNoise<NoiseOf::population>) \
  X(77, membrane::Lif, synapse::Driven<1, 10>, refractory::InMembrane, adaptation::Calcium, current::WhiteNoise<>, \
    rounding::Stochastic) \
  X(78, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Driven<1, 10>, PerNeuron<threshold::Adaptive>, \
    reset::None, current::Steps, rounding::Nearest) \
  X(79, membrane::LifConductance<>, synapse::Exponential<2>, input::Multiplicative<>, refractory::InMembrane, \
    PerNeuron<adaptation::SpikeTriggered>, current::Steps, rounding::Nearest) \
  X(80, membrane::AdEx, synapse::Exponential<2>, PerNeuron<input::Conductance<2>>, threshold::None, \
    refractory::Counted, adaptation::Calcium, rounding::Nearest) \
  X(81, membrane::Lif, synapse::Difference, PerNeuron<reset::ToValue>, refractory::InQueue, rounding::Stochastic) \
  X(82, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<3>, threshold::Stochastic, PerNeuron<reset::Subtraction>, \
    adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>) \
  X(83, membrane::Lif, synapse::Exponential<2>, refractory::InQueue, rounding::Nearest) \
  X(84, membrane::Integrator, synapse::Exponential<3>, PerNeuron<threshold::Stochastic>, reset::Subtraction, \
    refractory::Counted, current::Steps, rounding::Nearest) \
  X(85, PerNeuron<membrane::LifConductance<>, &membrane::LifConductance<>::Constants<std::int32_t>::drift>, \
    synapse::ExponentialPair, threshold::Adaptive, reset::None, refractory::Counted, adaptation::Calcium, \
    current::Direct, rounding::Stochastic) \
  X(86, PerNeuron<membrane::Lif>, synapse::Alpha<2>, refractory::InQueue) \
  X(87, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Delta<2>, \
    refractory::InQueue, rounding::Nearest) \
  X(88, membrane::Integrator, synapse::Delta<2>, refractory::InMembrane, PerNeuron<adaptation::SpikeTriggered>, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(89, membrane::Linear<2, 1, 0, 1>, synapse::ExponentialPair, threshold::None, PerNeuron<refractory::Counted>, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest)
#define COMPOSITIONS_7(X) \
  X(90, membrane::AdEx, synapse::Driven<2, 10>, reset::None, adaptation::Calcium, \
    current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(91, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Alpha<2>, input::Conductance<2>, threshold::Stochastic, \
    reset::Subtraction, PerNeuron<adaptation::Calcium>, current::Alternating, rounding::Stochastic) \
  X(92, membrane::Linear<2, 1, 0, 1>, synapse::Driven<1, 10>, threshold::Stochastic, reset::Subtraction, \
    adaptation::SpikeTriggered, PerNeuron<current::Direct>) \
  X(93, membrane::Lif, synapse::Difference, threshold::Adaptive, adaptation::Calcium, PerNeuron<current::Direct>, \
    PerNeuron<current::OrnsteinUhlenbeck<NoiseOf::population>>) \
  X(94, membrane::Lif, synapse::Exponential<3>, refractory::InQueue, rounding::Nearest) \
  X(95, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>, \
    &membrane::IzhikevichBy<method::RungeKutta4>::Constants<std::int32_t>::drift>, synapse::Exponential<1>, \
    input::Conductance<1>, threshold::None, reset::None, refractory::Counted, adaptation::Calcium, \
    current::Alternating, rounding::Nearest) \
  X(96, membrane::Lif, synapse::Driven<1, 10>, PerNeuron<refractory::InQueue>, rounding::Stochastic) \
  X(97, membrane::Izhikevich, synapse::Exponential<3>, PerNeuron<input::Conductance<3>>, reset::Subtraction, \
    refractory::Counted, current::Direct, rounding::Stochastic) \
  X(98, membrane::Izhikevich, PerNeuron<synapse::Alpha<2>>, input::Conductance<2>, reset::LateSubtraction, \
    adaptation::Calcium, current::WhiteNoise<>, rounding::Nearest) \
  X(99, PerNeuron<membrane::AdEx>, synapse::Delta<2>, threshold::Stochastic, reset::None, refractory::Counted, \
    current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(100, membrane::Lif, synapse::Driven<2, 10>, PerNeuron<threshold::Stochastic>, reset::None, refractory::Counted, \
    adaptation::SpikeTriggered, current::WhiteNoise<>) \
  X(101, membrane::LifConductance<>, synapse::Alpha<2>, input::Conductance<2>, threshold::Stochastic, reset::None, \
    refractory::Counted, adaptation::SpikeTriggered, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Stochastic) \
  X(102, membrane::Lif, synapse::Driven<2, 10>, PerNeuron<reset::ToValue>, refractory::InQueue) \
  X(103, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<2>, input::Multiplicative<>, reset::LateSubtraction, \
    PerNeuron<refractory::Counted>, adaptation::Calcium, current::Alternating, rounding::Stochastic) \
  X(104, membrane::Linear<2, 1, 0, 1>, synapse::DoubleExponential<2>, PerNeuron<input::Multiplicative<>>, \
    threshold::None, reset::Subtraction, adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>, rounding::Nearest)
#define COMPOSITIONS_8(X) \
  X(105, PerNeuron<membrane::Integrator>, synapse::Delta<1>, refractory::InMembrane, adaptation::SpikeTriggered, \
    current::WhiteNoise<>, rounding::Nearest) \
  X(106, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::ExponentialPair, \
    refractory::InQueue) \
  X(107, membrane::LifConductance<>, synapse::Exponential<1>, input::Conductance<1>, threshold::Adaptive, \
    PerNeuron<adaptation::Calcium>, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(108, membrane::Lif, synapse::DoubleExponential<2>, PerNeuron<input::Multiplicative<>>, refractory::InQueue) \
  X(109, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>, \
    &membrane::IzhikevichBy<method::RungeKutta4>::Constants<std::int32_t>::drift>, synapse::DoubleExponential<2>, \
    reset::Subtraction, current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(110, membrane::Integrator, synapse::ExponentialPair, PerNeuron<threshold::Stochastic>, reset::Subtraction, \
    current::Steps, rounding::Stochastic) \
  X(111, PerNeuron<membrane::LifConductance<>, &membrane::LifConductance<>::Constants<std::int32_t>::drift>, \
    synapse::Driven<2, 10>, threshold::Adaptive, reset::None, adaptation::Calcium, current::Alternating) \
  X(112, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<1>, threshold::Adaptive, reset::None, \
    PerNeuron<current::OrnsteinUhlenbeck<>>) \
  X(113, membrane::Linear<2, 1, 0, 1>, synapse::DoubleExponential<2>, input::Multiplicative<>, \
    PerNeuron<threshold::Adaptive>, adaptation::SpikeTriggered, current::WhiteNoise<>, rounding::Nearest) \
  X(114, membrane::AdEx, synapse::Alpha<2>, PerNeuron<reset::LateSubtraction>, adaptation::SpikeTriggered, \
    current::WhiteNoise<>)
// clang-format on

#endif
