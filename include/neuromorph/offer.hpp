// SPDX-License-Identifier: BSL-1.0
/// \file
/// How a part says which of the things that it may have it has: `using Offers = offer::List<offer::WakeAt>`.
///
/// What may be left out would be left out without a word where a name is misspelt, if the library only looked. So a part
/// says what it has, `offer::List<>` for nothing, and what it says is compared with what is there.
#ifndef NEUROMORPH_OFFER_HPP
#define NEUROMORPH_OFFER_HPP

#include <concepts>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// The names stand with the parts that ask for them. A name is a type with a member of that name, and `find`, which is
/// of use only where the name says one thing in a part.
namespace offer {

/// \tparam Entries  names, When, or other lists: of a base, say
template <class... Entries>
struct List {};

/// A name that is offered where a condition holds, and may be there where it does not.
template <bool is_offered, class Name>
struct When {};

} // namespace offer

namespace detail {

template <class Entry, class Name>
inline constexpr bool is_offered = std::same_as<Entry, Name>;
template <class... Entries, class Name>
inline constexpr bool is_offered<offer::List<Entries...>, Name> = (is_offered<Entries, Name> || ...);
template <bool is_so, class Entry, class Name>
inline constexpr bool is_offered<offer::When<is_so, Entry>, Name> = is_so&& is_offered<Entry, Name>;

template <class Entry, class Name>
inline constexpr bool is_named = std::same_as<Entry, Name>;
template <class... Entries, class Name>
inline constexpr bool is_named<offer::List<Entries...>, Name> = (is_named<Entries, Name> || ...);
template <bool is_so, class Entry, class Name>
inline constexpr bool is_named<offer::When<is_so, Entry>, Name> = is_named<Entry, Name>;

template <class Candidate>
inline constexpr bool is_offer_list = false;
template <class... Entries>
inline constexpr bool is_offer_list<offer::List<Entries...>> = true;

/// Whether a part says what it offers.
template <class Part>
concept SaysOffers = is_offer_list<typename Part::Offers>;
template <class Part>
inline constexpr bool says_offers = false;
template <SaysOffers Part>
inline constexpr bool says_offers<Part> = true;

/// Whether a part says that it offers this. What it does not say is not used.
template <class Part, class Name>
inline constexpr bool offers = false;
template <SaysOffers Part, class Name>
inline constexpr bool offers<Part, Name> = is_offered<typename Part::Offers, Name>;

template <class Part, class Name>
struct WithNamesake : Part, Name {};
template <class Part, class Name>
concept IsFound = requires {
  Name::template find<Part>();
};

/// Whether a part has a member of this name, whatever it is and whoever may use it: with a namesake beside it, the name
/// says two things then. Of a class that nobody can inherit from, what is one thing is seen.
template <class Part, class Name>
[[nodiscard]] consteval bool has_member() {
  if constexpr (std::is_class_v<Part> && !std::is_final_v<Part>)
    return !IsFound<WithNamesake<Part, Name>, Name>;
  else
    return IsFound<Part, Name>;
}

/// Whether a part has nothing of this name, or names it among what it offers.
template <class Part, class Name>
[[nodiscard]] consteval bool is_said() {
  if constexpr (says_offers<Part>)
    return is_named<typename Part::Offers, Name> || !has_member<Part, Name>();
  else
    return true; // another sentence
}

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
