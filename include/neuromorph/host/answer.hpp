// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a call answers that may refuse a network: a value, or a status and the sentence that names what is refused.
///
/// A `Status` has the number of the population or projection; the sentence has its name. As of a `Result`, the value of what
/// was refused cannot be used by accident.
// host-only
#ifndef NEUROMORPH_HOST_ANSWER_HPP
#define NEUROMORPH_HOST_ANSWER_HPP

#include <optional>
#include <string>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace host {

/// With '_' for what ends a line or moves a terminal: names may come from a file and hold anything.
[[nodiscard]] inline std::string on_one_line(std::string text) {
  for (char& one : text)
    if (static_cast<unsigned char>(one) < ' ' || one == '\x7F') one = '_';
  return text;
}

} // namespace host

/// Why something is refused; nothing is, by default.
struct [[nodiscard]] Refusal {
  Status status;        ///< `where`: number of the population, of the projection, or of the line of a file
  std::string of = {};  ///< its name
  std::string why = {}; ///< words for this case, instead of those of the status: what the system says of a file

  [[nodiscard]] bool ok() const noexcept { return status.ok(); }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
  /// The whole sentence, on one line: "projection 3, inhibitory to excitatory: weight = 1e-09: a weight ...".
  [[nodiscard]] std::string sentence() const {
    if (ok()) return describe(Error::none);
    if (!why.empty()) return host::on_one_line(of.empty() ? why : of + ": " + why);
    Status shown = status;
    if (!of.empty()) shown.where = 0; // it is in the name
    std::string text = neuromorph::sentence(shown).text.data();
    return host::on_one_line(of.empty() ? text : of + ": " + text);
  }
};

/// A value, or why there is none.
template <class Value>
class [[nodiscard]] Answer {
public:
  Answer(Value value) : value_(std::move(value)) {}
  /// \pre the refusal is not ok: it traps, as there is no value
  Answer(Refusal refusal) : refusal_(std::move(refusal)) {
    if (refusal_.ok()) neuromorph::detail::this_result_was_refused_look_at_its_status();
  }

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] Status status() const noexcept { return refusal_.status; }
  [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }
  [[nodiscard]] std::string sentence() const { return refusal_.sentence(); }
  /// \pre ok()
  [[nodiscard]] const Value& value() const& noexcept {
    demand();
    return *value_;
  }
  [[nodiscard]] Value& value() & noexcept {
    demand();
    return *value_;
  }
  [[nodiscard]] Value value() && noexcept {
    demand();
    return std::move(*value_);
  }

private:
  void demand() const noexcept {
    if (!ok()) neuromorph::detail::this_result_was_refused_look_at_its_status();
  }

  std::optional<Value> value_;
  Refusal refusal_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
