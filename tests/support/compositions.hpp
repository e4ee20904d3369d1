// SPDX-License-Identifier: BSL-1.0
// Neurons in which every pair of parts occurs that may: 115 of them, in 8 lists of 15 at most.
// Written by 'python3 tests/checks/compositions.py write', which explains it.
#ifndef TESTS_SUPPORT_COMPOSITIONS_HPP
#define TESTS_SUPPORT_COMPOSITIONS_HPP

// clang-format off
#define COMPOSITIONS_1(X) \
  X(0, membrane::Linear<2, 1, 0, 1>, synapse::Alpha<2>, threshold::Adaptive, reset::None, \
    PerNeuron<refractory::Counted>, adaptation::Calcium, current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(1, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<2>, input::Multiplicative<>, \
    PerNeuron<threshold::Stochastic>, reset::Subtraction, rounding::Nearest) \
  X(2, membrane::Izhikevich, PerNeuron<synapse::Exponential<1>>, input::Conductance<1>, reset::None, \
    adaptation::SpikeTriggered, current::WhiteNoise<>) \
  X(3, PerNeuron<membrane::LifConductance<>>, synapse::Driven<2, 10>, threshold::None, reset::Subtraction, \
    refractory::Counted, adaptation::SpikeTriggered, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Stochastic) \
  X(4, PerNeuron<membrane::AdEx, &membrane::AdEx::Constants<std::int32_t>::drift>, synapse::Driven<1, 10>, \
    refractory::Counted, current::Direct) \
  X(5, membrane::Integrator, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, refractory::InMembrane, \
    adaptation::Calcium, current::Steps, rounding::Stochastic) \
  X(6, membrane::LifConductance<>, synapse::Exponential<3>, PerNeuron<input::Conductance<3>>, threshold::None, \
    adaptation::Calcium, current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(7, membrane::Lif, synapse::Exponential<3>, threshold::Stochastic, reset::None, \
    PerNeuron<adaptation::SpikeTriggered>, current::Alternating, rounding::Stochastic) \
  X(8, membrane::Izhikevich, synapse::Exponential<3>, input::Conductance<3>, reset::LateSubtraction, \
    refractory::Counted, rounding::Stochastic) \
  X(9, membrane::Integrator, synapse::ExponentialPair, threshold::Stochastic, reset::Subtraction, \
    refractory::Counted, adaptation::Calcium, PerNeuron<current::WhiteNoise<NoiseOf::population>>) \
  X(10, membrane::IzhikevichBy<method::RungeKutta4>, synapse::DoubleExponential<2>, \
    PerNeuron<reset::LateSubtraction>, refractory::Counted, adaptation::Calcium, current::WhiteNoise<>, \
    rounding::Nearest) \
  X(11, membrane::AdEx, synapse::Exponential<3>, input::Conductance<3>, threshold::Adaptive, \
    PerNeuron<reset::Subtraction>, current::Steps) \
  X(12, membrane::Lif, synapse::Driven<2, 10>, PerNeuron<refractory::InQueue>) \
  X(13, PerNeuron<membrane::AdEx>, synapse::Exponential<2>, input::Multiplicative<>, threshold::None, reset::None, \
    current::OrnsteinUhlenbeck<>) \
  X(14, membrane::Izhikevich, synapse::Exponential<2>, input::Multiplicative<>, threshold::Adaptive, \
    refractory::Counted, adaptation::SpikeTriggered, current::Alternating, rounding::Nearest)
#define COMPOSITIONS_2(X) \
  X(15, membrane::Lif, PerNeuron<synapse::Exponential<1>>, threshold::None, reset::Subtraction, refractory::Counted, \
    adaptation::Calcium, current::Steps, rounding::Nearest) \
  X(16, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<1>, input::Conductance<1>, \
    PerNeuron<threshold::Stochastic>, refractory::Counted, adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>, \
    rounding::Stochastic) \
  X(17, membrane::LifConductance<>, synapse::Delta<1>, refractory::InMembrane, current::Alternating) \
  X(18, membrane::Izhikevich, synapse::Delta<2>, PerNeuron<threshold::Stochastic>, reset::None, adaptation::Calcium, \
    current::Direct, rounding::Nearest) \
  X(19, membrane::Integrator, synapse::Driven<2, 10>, threshold::Adaptive, reset::None, adaptation::Calcium, \
    PerNeuron<current::Direct>, PerNeuron<current::OrnsteinUhlenbeck<NoiseOf::population>>, rounding::Nearest) \
  X(20, membrane::Linear<2, 1, 0, 1>, synapse::Alpha<2>, threshold::None, PerNeuron<reset::Subtraction>, \
    adaptation::SpikeTriggered, current::Direct, rounding::Stochastic) \
  X(21, membrane::AdEx, synapse::Difference, reset::LateSubtraction, adaptation::SpikeTriggered, \
    PerNeuron<current::WhiteNoise<NoiseOf::population>>, rounding::Stochastic) \
  X(22, membrane::LifConductance<>, synapse::Delta<2>, reset::LateSubtraction, refractory::Counted, \
    PerNeuron<adaptation::SpikeTriggered>, current::Steps) \
  X(23, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, \
    reset::LateSubtraction, refractory::Counted, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(24, PerNeuron<membrane::Lif>, synapse::Difference, refractory::InMembrane, adaptation::Calcium, \
    current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(25, membrane::Izhikevich, synapse::Driven<1, 10>, threshold::None, reset::Subtraction, \
    PerNeuron<adaptation::Calcium>, current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(26, membrane::LifConductance<>, PerNeuron<synapse::DoubleExponential<2>>, threshold::Adaptive, reset::None, \
    adaptation::SpikeTriggered, rounding::Stochastic) \
  X(27, membrane::Integrator, synapse::Delta<1>, threshold::None, reset::Subtraction, \
    PerNeuron<current::WhiteNoise<>>, rounding::Stochastic) \
  X(28, PerNeuron<membrane::AdEx, &membrane::AdEx::Constants<std::int32_t>::drift>, synapse::ExponentialPair, \
    reset::Subtraction, adaptation::Calcium, current::Alternating, rounding::Nearest) \
  X(29, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Delta<2>, \
    threshold::Adaptive, reset::None, current::WhiteNoise<NoiseOf::population>, rounding::Stochastic)
#define COMPOSITIONS_3(X) \
  X(30, membrane::AdEx, synapse::Driven<2, 10>, threshold::Stochastic, reset::None, adaptation::Calcium, \
    current::WhiteNoise<>, rounding::Nearest) \
  X(31, PerNeuron<membrane::LifConductance<>, &membrane::LifConductance<>::Constants<std::int32_t>::drift>, \
    synapse::Exponential<1>, input::Conductance<1>, refractory::InMembrane, adaptation::SpikeTriggered, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(32, membrane::LifConductance<>, synapse::Exponential<2>, input::Multiplicative<>, \
    PerNeuron<refractory::InMembrane>, adaptation::SpikeTriggered, current::WhiteNoise<>, rounding::Stochastic) \
  X(33, membrane::Integrator, synapse::Alpha<2>, refractory::InMembrane, PerNeuron<adaptation::SpikeTriggered>) \
  X(34, PerNeuron<membrane::Izhikevich, &membrane::Izhikevich::Constants<std::int32_t>::drift>, synapse::Difference, \
    threshold::Stochastic, reset::None, refractory::Counted, current::Steps) \
  X(35, membrane::IzhikevichBy<method::RungeKutta4>, synapse::ExponentialPair, PerNeuron<threshold::Adaptive>, \
    reset::None, current::Steps, rounding::Stochastic) \
  X(36, membrane::IzhikevichBy<method::RungeKutta4>, synapse::DoubleExponential<2>, threshold::None, \
    reset::Subtraction, PerNeuron<refractory::Counted>, current::Alternating) \
  X(37, PerNeuron<membrane::Linear<2, 1, 0, 1>>, synapse::Driven<1, 10>, threshold::Stochastic, refractory::Counted, \
    adaptation::Calcium, rounding::Stochastic) \
  X(38, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<1>, input::Conductance<1>, \
    threshold::Adaptive, PerNeuron<current::Direct>) \
  X(39, membrane::Linear<2, 1, 0, 1>, synapse::DoubleExponential<2>, PerNeuron<threshold::Stochastic>, \
    current::WhiteNoise<NoiseOf::population>) \
  X(40, membrane::LifConductance<>, synapse::ExponentialPair, threshold::None, PerNeuron<reset::ToValue>, \
    adaptation::SpikeTriggered) \
  X(41, membrane::IzhikevichBy<method::RungeKutta4>, PerNeuron<synapse::Alpha<2>>, threshold::Stochastic, \
    refractory::Counted, current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(42, membrane::Lif, synapse::Delta<1>, threshold::Stochastic, PerNeuron<reset::Subtraction>, refractory::Counted, \
    adaptation::Calcium, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(43, membrane::Integrator, synapse::Delta<1>, reset::LateSubtraction, PerNeuron<refractory::Counted>, \
    adaptation::SpikeTriggered, current::Direct) \
  X(44, PerNeuron<membrane::AdEx>, synapse::Exponential<1>, input::Conductance<1>, reset::LateSubtraction, \
    adaptation::SpikeTriggered, current::Alternating, rounding::Stochastic)
#define COMPOSITIONS_4(X) \
  X(45, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Delta<2>, threshold::None, reset::Subtraction, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Stochastic) \
  X(46, membrane::Integrator, PerNeuron<synapse::Driven<1, 10>>, refractory::InMembrane, adaptation::SpikeTriggered, \
    current::Alternating) \
  X(47, membrane::Lif, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, threshold::Adaptive, reset::None, \
    adaptation::SpikeTriggered, current::Direct) \
  X(48, membrane::Linear<2, 1, 0, 1>, synapse::Difference, threshold::Adaptive, refractory::Counted, \
    PerNeuron<adaptation::Calcium>, current::WhiteNoise<>) \
  X(49, membrane::Linear<2, 1, 0, 1>, PerNeuron<synapse::Driven<2, 10>>, reset::LateSubtraction, \
    current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(50, membrane::AdEx, synapse::Exponential<1>, PerNeuron<input::Conductance<1>>, threshold::Stochastic, \
    reset::Subtraction, refractory::Counted, adaptation::SpikeTriggered, rounding::Nearest) \
  X(51, PerNeuron<membrane::Linear<2, 1, 0, 1>>, synapse::Delta<1>, threshold::Adaptive, reset::None, \
    refractory::Counted, adaptation::Calcium, current::Steps, rounding::Stochastic) \
  X(52, membrane::Lif, synapse::Driven<1, 10>, threshold::Adaptive, reset::None, adaptation::SpikeTriggered, \
    current::Steps, rounding::Stochastic) \
  X(53, PerNeuron<membrane::Integrator, &membrane::Integrator::Constants<std::int32_t>::drift>, \
    synapse::DoubleExponential<2>, refractory::InMembrane, current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(54, membrane::LifConductance<>, synapse::Exponential<2>, input::Multiplicative<>, refractory::InMembrane, \
    PerNeuron<adaptation::Calcium>, current::WhiteNoise<NoiseOf::population>, rounding::Stochastic) \
  X(55, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Delta<1>, \
    refractory::InQueue, rounding::Nearest) \
  X(56, membrane::LifConductance<>, synapse::Exponential<2>, input::Multiplicative<>, refractory::InMembrane, \
    adaptation::SpikeTriggered, PerNeuron<current::Direct>, rounding::Stochastic) \
  X(57, membrane::Lif, synapse::Delta<2>, PerNeuron<reset::ToValue>, refractory::InQueue, rounding::Stochastic) \
  X(58, membrane::LifConductance<>, synapse::Difference, PerNeuron<threshold::Stochastic>, reset::Subtraction, \
    adaptation::SpikeTriggered, current::Alternating) \
  X(59, membrane::Izhikevich, synapse::Driven<2, 10>, PerNeuron<reset::ToValue>, adaptation::Calcium, \
    current::WhiteNoise<NoiseOf::population>, rounding::Stochastic)
#define COMPOSITIONS_5(X) \
  X(60, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Alpha<2>, \
    reset::LateSubtraction, adaptation::SpikeTriggered, current::Alternating, rounding::Nearest) \
  X(61, membrane::AdEx, synapse::Exponential<1>, input::Conductance<1>, threshold::Stochastic, reset::None, \
    PerNeuron<refractory::Counted>, adaptation::Calcium, current::WhiteNoise<NoiseOf::population>, \
    rounding::Stochastic) \
  X(62, membrane::AdEx, PerNeuron<synapse::Difference>, threshold::None, reset::Subtraction, \
    adaptation::SpikeTriggered, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(63, membrane::LifConductance<>, synapse::Driven<1, 10>, PerNeuron<reset::LateSubtraction>, \
    adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>) \
  X(64, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<3>, input::Conductance<3>, \
    threshold::Adaptive, reset::Subtraction, refractory::Counted, PerNeuron<adaptation::Calcium>, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(65, membrane::Integrator, synapse::Exponential<2>, input::Multiplicative<>, PerNeuron<reset::ToValue>, \
    refractory::InMembrane, current::Alternating, rounding::Stochastic) \
  X(66, PerNeuron<membrane::Izhikevich>, synapse::ExponentialPair, reset::LateSubtraction, refractory::Counted, \
    current::WhiteNoise<>, rounding::Stochastic) \
  X(67, membrane::Lif, synapse::ExponentialPair, PerNeuron<refractory::InMembrane>, adaptation::Calcium, \
    current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(68, membrane::Linear<2, 1, 0, 1>, synapse::Delta<2>, reset::LateSubtraction, adaptation::SpikeTriggered, \
    PerNeuron<current::OrnsteinUhlenbeck<>>, rounding::Stochastic) \
  X(69, membrane::Lif, synapse::Alpha<2>, PerNeuron<threshold::Stochastic>, reset::None, adaptation::SpikeTriggered, \
    current::WhiteNoise<>) \
  X(70, membrane::Integrator, synapse::Difference, threshold::None, reset::None, adaptation::SpikeTriggered, \
    current::Direct) \
  X(71, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>, \
    &membrane::IzhikevichBy<method::RungeKutta4>::Constants<std::int32_t>::drift>, synapse::Exponential<2>, \
    input::Multiplicative<>, threshold::None, reset::None, refractory::Counted, adaptation::SpikeTriggered, \
    current::WhiteNoise<>) \
  X(72, membrane::AdEx, synapse::ExponentialPair, reset::LateSubtraction, refractory::Counted, \
    PerNeuron<adaptation::Calcium>, current::Direct, rounding::Nearest) \
  X(73, PerNeuron<membrane::Integrator>, synapse::Delta<2>, refractory::InMembrane, adaptation::SpikeTriggered, \
    current::WhiteNoise<NoiseOf::population>, rounding::Stochastic) \
  X(74, membrane::Linear<2, 1, 0, 1>, synapse::ExponentialPair, threshold::None, reset::Subtraction, \
    refractory::Counted, current::OrnsteinUhlenbeck<>, rounding::Stochastic)
#define COMPOSITIONS_6(X) \
  X(75, membrane::Lif, PerNeuron<synapse::Exponential<2>>, input::Multiplicative<>, refractory::InQueue, \
    rounding::Stochastic) \
  X(76, membrane::AdEx, synapse::Driven<1, 10>, PerNeuron<threshold::Stochastic>, reset::None, \
    adaptation::SpikeTriggered, current::Direct, current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(77, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<1>, reset::LateSubtraction, refractory::Counted, \
    adaptation::Calcium, current::Alternating, rounding::Stochastic) \
  X(78, membrane::Izhikevich, synapse::Alpha<2>, threshold::Adaptive, refractory::Counted, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>, rounding::Nearest) \
  X(79, PerNeuron<membrane::Integrator, &membrane::Integrator::Constants<std::int32_t>::drift>, \
    synapse::Exponential<3>, refractory::InMembrane, adaptation::Calcium, current::OrnsteinUhlenbeck<>, \
    rounding::Nearest) \
  X(80, membrane::Linear<2, 1, 0, 1>, PerNeuron<synapse::Exponential<3>>, threshold::Adaptive, adaptation::Calcium, \
    current::Direct, rounding::Stochastic) \
  X(81, membrane::Lif, synapse::DoubleExponential<2>, refractory::InQueue) \
  X(82, membrane::AdEx, synapse::Delta<2>, threshold::Adaptive, PerNeuron<refractory::Counted>, \
    adaptation::SpikeTriggered, current::Alternating) \
  X(83, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Driven<2, 10>, threshold::None, reset::None, \
    PerNeuron<refractory::Counted>, adaptation::SpikeTriggered, current::Steps, rounding::Nearest) \
  X(84, PerNeuron<membrane::IzhikevichBy<method::RungeKutta4>>, synapse::DoubleExponential<2>, threshold::None, \
    reset::None, adaptation::SpikeTriggered, current::Direct, rounding::Stochastic) \
  X(85, membrane::Lif, synapse::Driven<1, 10>, threshold::Stochastic, reset::None, adaptation::SpikeTriggered, \
    PerNeuron<current::WhiteNoise<>>) \
  X(86, membrane::Izhikevich, synapse::DoubleExponential<2>, reset::LateSubtraction, refractory::Counted, \
    adaptation::SpikeTriggered, PerNeuron<current::Direct>, \
    PerNeuron<current::OrnsteinUhlenbeck<NoiseOf::population>>, rounding::Stochastic) \
  X(87, membrane::AdEx, synapse::Delta<1>, PerNeuron<threshold::Stochastic>, reset::None, refractory::Counted, \
    current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(88, PerNeuron<membrane::LifConductance<>>, synapse::Alpha<2>, refractory::Counted, current::Steps) \
  X(89, membrane::Izhikevich, synapse::Difference, threshold::Adaptive, PerNeuron<refractory::Counted>, \
    adaptation::SpikeTriggered, rounding::Stochastic)
#define COMPOSITIONS_7(X) \
  X(90, membrane::Izhikevich, synapse::Delta<1>, threshold::None, reset::Subtraction, refractory::Counted, \
    adaptation::Calcium, current::WhiteNoise<NoiseOf::population>, rounding::Nearest) \
  X(91, membrane::AdEx, synapse::DoubleExponential<2>, threshold::Stochastic, reset::Subtraction, \
    PerNeuron<adaptation::Calcium>, current::Steps, rounding::Stochastic) \
  X(92, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Exponential<2>, PerNeuron<input::Conductance<2>>, \
    reset::None, refractory::Counted, adaptation::SpikeTriggered, current::OrnsteinUhlenbeck<>, rounding::Nearest) \
  X(93, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Driven<1, 10>, threshold::None, reset::None, \
    PerNeuron<refractory::Counted>, current::WhiteNoise<NoiseOf::population>, rounding::Stochastic) \
  X(94, PerNeuron<membrane::Lif, &membrane::Lif::Constants<std::int32_t>::drift>, synapse::Driven<2, 10>, \
    refractory::InMembrane, adaptation::Calcium, current::Direct, rounding::Nearest) \
  X(95, PerNeuron<membrane::Lif>, synapse::Exponential<3>, refractory::InQueue, rounding::Nearest) \
  X(96, membrane::Integrator, synapse::Driven<2, 10>, PerNeuron<threshold::Stochastic>, refractory::Counted, \
    current::Alternating, rounding::Nearest) \
  X(97, membrane::Izhikevich, synapse::Exponential<3>, PerNeuron<input::Conductance<3>>, threshold::Adaptive, \
    adaptation::Calcium, current::WhiteNoise<>, rounding::Stochastic) \
  X(98, membrane::Lif, synapse::Difference, PerNeuron<reset::ToValue>, refractory::InQueue, rounding::Nearest) \
  X(99, membrane::Lif, PerNeuron<synapse::ExponentialPair>, refractory::InQueue, rounding::Stochastic) \
  X(100, membrane::Lif, synapse::Exponential<1>, PerNeuron<reset::ToValue>, refractory::InQueue) \
  X(101, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Delta<1>, threshold::Stochastic, reset::None, \
    PerNeuron<adaptation::Calcium>, current::WhiteNoise<>, rounding::Stochastic) \
  X(102, membrane::AdEx, synapse::Alpha<2>, reset::LateSubtraction, \
    PerNeuron<current::WhiteNoise<NoiseOf::population>>) \
  X(103, membrane::Integrator, synapse::Exponential<1>, threshold::None, reset::Subtraction, refractory::Counted, \
    PerNeuron<adaptation::SpikeTriggered>, current::OrnsteinUhlenbeck<>, rounding::Stochastic) \
  X(104, membrane::LifConductance<>, synapse::Driven<2, 10>, threshold::Adaptive, reset::None, \
    PerNeuron<adaptation::SpikeTriggered>, current::Alternating, rounding::Stochastic)
#define COMPOSITIONS_8(X) \
  X(105, membrane::Lif, synapse::Driven<1, 10>, PerNeuron<reset::ToValue>, refractory::InQueue, rounding::Stochastic) \
  X(106, membrane::Lif, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, refractory::InQueue) \
  X(107, membrane::Lif, synapse::Delta<2>, threshold::Stochastic, PerNeuron<reset::Subtraction>, \
    current::WhiteNoise<>) \
  X(108, membrane::IzhikevichBy<method::RungeKutta4>, synapse::Difference, threshold::Adaptive, \
    PerNeuron<reset::Subtraction>, refractory::Counted, rounding::Nearest) \
  X(109, membrane::AdEx, synapse::Exponential<3>, input::Conductance<3>, threshold::Adaptive, refractory::Counted, \
    PerNeuron<current::OrnsteinUhlenbeck<>>, rounding::Nearest) \
  X(110, membrane::Linear<2, 1, 0, 1>, synapse::Exponential<2>, threshold::Adaptive, PerNeuron<reset::ToValue>, \
    adaptation::SpikeTriggered, current::Alternating) \
  X(111, membrane::LifConductance<>, synapse::Exponential<3>, input::Conductance<3>, PerNeuron<threshold::Adaptive>, \
    reset::None, refractory::Counted, adaptation::Calcium, current::Direct, \
    current::OrnsteinUhlenbeck<NoiseOf::population>) \
  X(112, membrane::Izhikevich, synapse::Exponential<2>, PerNeuron<input::Multiplicative<>>, threshold::Stochastic, \
    reset::Subtraction, current::Alternating, rounding::Nearest) \
  X(113, membrane::Lif, synapse::Alpha<2>, PerNeuron<reset::ToValue>, refractory::InQueue, rounding::Nearest) \
  X(114, membrane::Lif, synapse::Exponential<3>, reset::None, PerNeuron<refractory::Counted>, current::Steps, \
    rounding::Stochastic)
// clang-format on

#endif
