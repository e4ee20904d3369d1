// SPDX-License-Identifier: BSL-1.0
// What every way to run the network must come to: digests of spikes and weights of each core, after each second.
#ifndef EXAMPLES_BALANCED_PLASTIC_DIGESTS_HPP
#define EXAMPLES_BALANCED_PLASTIC_DIGESTS_HPP

#include <array>
#include <cstdint>

#include "network.hpp"

namespace balanced {

inline constexpr std::array<std::array<Digests, cores>, 10> expected{{
    {{{0x6e6f032254e1f2ee, 0x9affc568f4e8c813},
      {0xe74ae2abae2505c5, 0x01c03fffcb480a26},
      {0xd575e30e717e8669, 0x73a18d056baa83da},
      {0x977e634d169d9ecf, 0xdcef3dfb3094efd2},
      {0x9c792976db55365f, 0xb14aac0c9751c12e}}},
    {{{0xf1372eb5e6bed6f8, 0xd2376b9afa16e7b6},
      {0xb1adf6b3711c3b14, 0x026de16d67b81b23},
      {0xa9463fc4bf09be47, 0x7fa814b4e6a2f5a2},
      {0xf0c2413013d45339, 0x43f88244b82afbe3},
      {0x8c36cadc6573c2b0, 0xb14aac0c9751c12e}}},
    {{{0x5f6a5dce1eff0a21, 0xe454120422def866},
      {0x4cab1bf62fe2d10a, 0xfb916763671ace02},
      {0x331b37095c181bd8, 0x5d46c5d9dfe75cd4},
      {0x8d20ae47f964fdd0, 0x4737aa57608c784b},
      {0x400ffaae21ced6bf, 0xb14aac0c9751c12e}}},
    {{{0xfd1d9961ed8e3fe3, 0xa8a424c492fbfa2c},
      {0xef1852f8d83372cd, 0xb846cc8308c29c36},
      {0x8df840f041ceaef3, 0xdb4f4fef34ef6e84},
      {0xdab37abeb4b73120, 0xab680010d00b309a},
      {0x0a6339b8f25724aa, 0xb14aac0c9751c12e}}},
    {{{0x6e94814d41f618ad, 0x06fad7e5c51142e9},
      {0x396fec1042c25723, 0x457b16752cc26279},
      {0xdd334b5c933a6ac2, 0xb58cba84c1e23d7b},
      {0xa7cf02184bae9c5a, 0xbd17833879010980},
      {0xeed3a53174a0250f, 0xb14aac0c9751c12e}}},
    {{{0xa1281a8f200cade3, 0x47c1d53a2cb7271c},
      {0x4dda44a7c2571820, 0xe094670d5d2f2381},
      {0xc0c83b3bc05deeed, 0x573beb9e4e376cb9},
      {0x5ea5f021dfe2ba1d, 0x993a0442c980f541},
      {0x62d1ea1e3bad9210, 0xb14aac0c9751c12e}}},
    {{{0x24ca10960e04b7f7, 0x555dd49f200e53ae},
      {0x329e39e08bf063cc, 0x2933f8491eeaa322},
      {0xd619b71ba5f92313, 0x7a9f1c038e2363d4},
      {0x1a0dd29eea8daf75, 0x12818c7ebd47cc10},
      {0xd343472541f936ae, 0xb14aac0c9751c12e}}},
    {{{0xd37e8b4f20c2a4f0, 0xd98b9735db5dc097},
      {0xdd7b35e790bc784b, 0x5dc91583d967e113},
      {0x03e63fdc56f5c1a2, 0xfe93a670411b902a},
      {0xbfe2417b08b396c1, 0x9b4eff8c239f5c4c},
      {0x37a618cc4cb26938, 0xb14aac0c9751c12e}}},
    {{{0x00d9be632b728ba7, 0x6189aadb9b1d65fa},
      {0x726a8002c1309918, 0x69a49420871a1483},
      {0x0352c8f32d79d3a0, 0x383b84b28bd3bbca},
      {0xba11c2fa0652e7f7, 0xf54946f2dc8cdaff},
      {0x8bdc01fc0390204f, 0xb14aac0c9751c12e}}},
    {{{0x73a760f09ea028bd, 0x1d14534424c482b4},
      {0x8e9d7002f53be726, 0x4381325104602854},
      {0x56d8117dae0d49ad, 0x84a64a12b8da50a9},
      {0xe40d31ad59d489c0, 0xfa7d1b841f73bf4c},
      {0xeab702d78adb5f57, 0xb14aac0c9751c12e}}},
}};

} // namespace balanced

#endif
