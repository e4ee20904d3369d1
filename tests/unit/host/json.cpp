// SPDX-License-Identifier: BSL-1.0
// JSON: what RFC 8259 allows and forbids, exactness of numbers, refusals with their place, and what the writer writes. The
// fuzz target of the same name has a second judge.
#include <neuromorph/host/json.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;
using host::Json;
using host::JsonKind;
using host::JsonReading;
using host::JsonValue;
using host::JsonWriter;

std::string sentence(const std::string& text, const host::JsonLimits& limits = {}) {
  return Json::read(text, "it", limits).sentence();
}

} // namespace

TEST_CASE("json: what is not JSON is refused with its line, its column and what is wrong") {
  struct Wrong {
    const char *text, *sentence;
  };
  const Wrong wrong[] = {
      {"", "it: line 1, column 1: a value is wanted, and the text ends"},
      {" \n", "it: line 2, column 1: a value is wanted, and the text ends"},
      {"\xEF\xBB\xBF[]", "it: line 1, column 1: it begins with a byte order mark, which JSON has not"},
      {"nul", "it: line 1, column 1: a value is wanted, and not 'n'"},
      {"True", "it: line 1, column 1: a value is wanted, and not 'T'"},
      {"NaN", "it: line 1, column 1: a value is wanted, and not 'N'"},
      {"'a'", "it: line 1, column 1: a value is wanted, and not '''"},
      {"+1", "it: line 1, column 1: a value is wanted, and not '+'"},
      {".5", "it: line 1, column 1: a value is wanted, and not '.'"},
      {"\x01", "it: line 1, column 1: a value is wanted, and not byte 1"},
      {"\xFF", "it: line 1, column 1: a value is wanted, and not byte 255"},
      {"ä", "it: line 1, column 1: a value is wanted, and not 'ä'"},
      {"[] []", "it: line 1, column 4: there is more behind the end: '['"},
      {"1 /* one */", "it: line 1, column 3: there is more behind the end: '/'"},
      {"[", "it: line 1, column 2: a value is wanted, and the text ends"},
      {"[1", "it: line 1, column 3: a comma or ']' is wanted, and not the end of the text"},
      {"[1 2]", "it: line 1, column 4: a comma or ']' is wanted, and not '2'"},
      {"[1,]", "it: line 1, column 4: a comma stands before the end"},
      {"[,1]", "it: line 1, column 2: a value is wanted, and not ','"},
      {"[1}", "it: line 1, column 3: a comma or ']' is wanted, and not '}'"},
      {"{1: 2}", "it: line 1, column 2: a name in quotes is wanted, and not '1'"},
      {"{", "it: line 1, column 2: a name in quotes is wanted, and not the end of the text"},
      {"{\"a\" 1}", "it: line 1, column 6: a colon is wanted behind a name, and not '1'"},
      {"{\"a\": 1,\n}", "it: line 2, column 1: a comma stands before the end"},
      {"{\"a\": 1; }", "it: line 1, column 8: a comma or '}' is wanted, and not ';'"},
      {"{\"b\": 1, \"a\": 2,\n \"b\": 3}", "it: line 2, column 2: an object has the name \"b\" twice"},
      {"{\"c\": 1, \"a\": 2, \"a\": 0, \"c\": 3}", "it: line 1, column 18: an object has the name \"a\" twice"},
      {"{\"b\": 1, \"\\u0062\": 2}", "it: line 1, column 10: an object has the name \"b\" twice"},
      {"-", "it: line 1, column 2: a digit is wanted behind '-', and not the end of the text"},
      {"-x", "it: line 1, column 2: a digit is wanted behind '-', and not 'x'"},
      {"01", "it: line 1, column 1: a number begins with 0"},
      {"-00", "it: line 1, column 1: a number begins with 0"},
      {"1.", "it: line 1, column 3: a digit is wanted behind the point, and not the end of the text"},
      {"1.e5", "it: line 1, column 3: a digit is wanted behind the point, and not 'e'"},
      {"1e+", "it: line 1, column 4: a digit is wanted in the exponent, and not the end of the text"},
      {"0x10", "it: line 1, column 2: there is more behind the end: 'x'"},
      {"18446744073709551616", "it: line 1, column 1: a whole number has more than 64 bits"},
      {"-9223372036854775809", "it: line 1, column 1: a whole number has more than 64 bits"},
      {"100000000000000000000000", "it: line 1, column 1: a whole number has more than 64 bits"},
      {"1e400", "it: line 1, column 1: a number is too large or too small for a double"},
      {"1e-400", "it: line 1, column 1: a number is too large or too small for a double"},
      {"\"a", "it: line 1, column 3: a text does not end; it begins at line 1, column 1"},
      {"[\"\xC3\xA4", "it: line 1, column 4: a text does not end; it begins at line 1, column 2"},
      {"\"a\nb\"", "it: line 1, column 3: a text contains byte 10, which has to be written as an escape"},
      {"\"\\", "it: line 1, column 3: an escape is cut off"},
      {"\"\\x41\"", "it: line 1, column 2: there is no escape with 'x'"},
      {"\"\\u12\"", "it: line 1, column 6: an escape wants four hexadecimal digits, and not '\"'"},
      {"\"\\u12", "it: line 1, column 6: an escape wants four hexadecimal digits, and not the end of the text"},
      {"\"\\uD800\"", "it: line 1, column 2: the first half of a surrogate pair stands alone"},
      {"\"\\uD800\\u0041\"", "it: line 1, column 2: the first half of a surrogate pair stands alone"},
      {"\"\\uDC00\"", "it: line 1, column 2: the second half of a surrogate pair stands alone"},
      {"\"\x80\"", "it: line 1, column 2: byte 128 is not UTF-8 here"},
      {"\"\xC0\xAF\"", "it: line 1, column 2: byte 192 is not UTF-8 here"},
      {"\"\xC3\"", "it: line 1, column 2: byte 195 is not UTF-8 here"},
      {"\"\xE0\x80\x80\"", "it: line 1, column 2: byte 224 is not UTF-8 here"},
      {"\"\xED\xA0\x80\"", "it: line 1, column 2: byte 237 is not UTF-8 here"},
      {"\"\xF0\x80\x80\x80\"", "it: line 1, column 2: byte 240 is not UTF-8 here"},
      {"\"\xF4\x90\x80\x80\"", "it: line 1, column 2: byte 244 is not UTF-8 here"},
      {"\"\xF5\x80\x80\x80\"", "it: line 1, column 2: byte 245 is not UTF-8 here"},
      {"\"\xE2\x82\"", "it: line 1, column 2: byte 226 is not UTF-8 here"},
      {R"({"a\u0000\n\u007f": 1, "a\u0000\n\u007f": 2})",
       "it: line 1, column 24: an object has the name \"a___\" twice"},
  };
  for (const Wrong& one : wrong) {
    INFO(one.text);
    const auto read = Json::read(one.text, "it");
    CHECK(read.status().error == Error::file_malformed);
    CHECK(read.sentence() == one.sentence);
  }
  const auto read = Json::read("[1,\n  ä]");
  CHECK(read.status().where == 2);
  CHECK(read.status().value == GivenValue(3));
  CHECK(read.sentence() == "line 2, column 3: a value is wanted, and not 'ä'");
  CHECK(sentence(std::string("\0", 1)) == "it: line 1, column 1: a value is wanted, and not byte 0");
}

TEST_CASE("json: values are what was written, numbers exactly") {
  const auto read =
      Json::read(" [0, -0, 18446744073709551615, -9223372036854775808, 9007199254740993, 0.1, -0.0, 1e2, "
                 "5e-324, true, false, null, \"\", \"a\\u00e4\\ud83d\\uDE00\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\", "
                 "\"ä€😀\", [], {}] ");
  REQUIRE(read.ok());
  const JsonValue root = read.value().root();
  REQUIRE(root.is(JsonKind::array));
  REQUIRE(root.size() == 17);
  CHECK(root.item(0).unsigned_whole() == 0);
  CHECK(root.item(1).is(JsonKind::whole));
  CHECK_FALSE(root.item(1).is_negative());
  CHECK(root.item(2).unsigned_whole() == ~std::uint64_t{0});
  CHECK(root.item(2).real() == 18446744073709551616.0);
  CHECK(root.item(3).is_negative());
  CHECK(root.item(3).signed_whole() == (std::numeric_limits<std::int64_t>::min)());
  CHECK(root.item(3).real() == -9223372036854775808.0);
  CHECK(root.item(4).unsigned_whole() == 9007199254740993);
  CHECK(root.item(5).is(JsonKind::real));
  CHECK(root.item(5).real() == 0.1);
  CHECK(root.item(6).is(JsonKind::real));
  CHECK(std::signbit(root.item(6).real()));
  CHECK(root.item(7).is(JsonKind::real));
  CHECK(root.item(7).real() == 100.0);
  CHECK(root.item(8).real() == 5e-324);
  CHECK(root.item(9).truth());
  CHECK_FALSE(root.item(10).truth());
  CHECK(root.item(11).is(JsonKind::null));
  CHECK(root.item(12).text().empty());
  CHECK(root.item(13).text() == std::string_view("aä😀\"\\/\b\f\n\r\t\0", 16));
  CHECK(root.item(14).text() == "ä€😀");
  CHECK(root.item(15).size() == 0);
  CHECK(root.item(16).is(JsonKind::object));
  CHECK_FALSE(root.item(17));
  CHECK_FALSE(root.item(16).item(0));
  CHECK_FALSE(root.find("a"));
  CHECK(root.item(0).size() == 0);
  for (const JsonValue item : root.item(2)) FAIL("a number has an item " << item.in_a_sentence());
  for (const auto [name, item] : root.members()) FAIL("an array has a member " << name);
  for (const JsonValue item : JsonValue()) FAIL("nothing has an item " << item.in_a_sentence());
}

TEST_CASE("json: members are found by name, and a value knows its place and its path") {
  const auto read = Json::read("{\"z\": [1, {\"a\": [], \"deep\": [[], [7, 8]]}],\n \"a\\u0062\": {\"\": 3}}", "file");
  REQUIRE(read.ok());
  const JsonValue root = read.value().root();
  std::string names;
  for (const auto [name, value] : root.members()) names += std::string(name) + ":" + in_words(value.kind()) + ";";
  CHECK(names == "z:an array;ab:an object;");
  CHECK(root.find("ab").find("").unsigned_whole() == 3);
  CHECK_FALSE(root.find("b"));
  CHECK_FALSE(root.find("ab").find("deep"));
  const JsonValue deep = root.find("z").item(1).find("deep").item(1).item(1);
  CHECK(deep.unsigned_whole() == 8);
  CHECK(deep.path() == "z[1].deep[1][1]");
  CHECK(root.path().empty());
  CHECK(root.find("ab").find("").path() == "ab.");
  CHECK(deep.refuse("it is even").sentence() == "file: line 1, column 38, z[1].deep[1][1]: it is even");
  CHECK(root.find("ab").refuse("no").sentence() == "file: line 2, column 13, ab: no");
  CHECK(root.refuse("no").sentence() == "file: line 1, column 1: no");
}

TEST_CASE("json: what is not as it should be is refused by name, the first alone") {
  const auto read =
      Json::read("{\"one\": 1, \"big\": 300, \"minus\": -3, \"half\": 0.5, \"yes\": true, \"word\": \"w\", "
                 "\"list\": [1, 2], \"none\": null}",
                 "file");
  REQUIRE(read.ok());
  const JsonValue root = read.value().root();
  const auto refused = [&](auto ask) {
    JsonReading reading;
    ask(reading);
    CHECK(reading.ok() == reading.refusal().ok());
    return reading.refusal().sentence().substr(0, reading.ok() ? 0 : std::string::npos);
  };
  CHECK(refused([&](JsonReading& reading) {
          CHECK(reading.whole<std::uint8_t>(reading.member(root, "one"), 1, 1) == 1);
          CHECK(reading.whole<std::int8_t>(reading.member(root, "minus"), -3, 0) == -3);
          CHECK(reading.whole<std::int64_t>(reading.member(root, "minus")) == -3);
          CHECK(reading.whole<std::uint64_t>(reading.member(root, "big")) == 300);
          CHECK(reading.real(reading.member(root, "half")) == 0.5);
          CHECK(reading.real(reading.member(root, "minus")) == -3.0);
          CHECK(reading.truth(reading.member(root, "yes")));
          CHECK(reading.text(reading.member(root, "word")) == "w");
          CHECK(reading.array(reading.member(root, "list"), 2).size() == 2);
          CHECK(reading.array(reading.member(root, "list")).size() == 2);
          CHECK(reading.object(root).size() == 8);
          CHECK_FALSE(reading.optional_member(root, "two"));
          CHECK(reading.only(root, {"none", "list", "word", "yes", "half", "minus", "big", "one"}));
        }) == "");
  CHECK(refused([&](JsonReading& reading) {
          CHECK(reading.whole<std::uint8_t>(reading.member(root, "big")) == 0);
          CHECK(reading.whole<std::uint8_t>(reading.member(root, "one")) == 0); // after the first refusal
          CHECK_FALSE(reading.member(root, "two"));
        }) == "file: line 1, column 19, big: it has to be 0 to 255, and not 300");
  CHECK(refused([&](JsonReading& reading) { (void)reading.whole<std::uint64_t>(reading.member(root, "minus")); }) ==
        "file: line 1, column 33, minus: it has to be 0 to 18446744073709551615, and not -3");
  CHECK(refused([&](JsonReading& reading) {
          (void)reading.whole<std::int8_t>(reading.member(root, "minus"), -2, 5);
        }) == "file: line 1, column 33, minus: it has to be -2 to 5, and not -3");
  CHECK(refused([&](JsonReading& reading) { (void)reading.member(root, "two"); }) ==
        "file: line 1, column 1: \"two\" is missing");
  CHECK(refused([&](JsonReading& reading) { (void)reading.whole<int>(reading.member(root, "half")); }) ==
        "file: line 1, column 45, half: a whole number is wanted, and not a real number");
  CHECK(refused([&](JsonReading& reading) { (void)reading.text(reading.member(root, "none")); }) ==
        "file: line 1, column " +
            std::to_string(std::string("{\"one\": 1, \"big\": 300, \"minus\": -3, \"half\": 0.5, "
                                       "\"yes\": true, \"word\": \"w\", \"list\": [1, 2], "
                                       "\"none\": ")
                               .size() +
                           1) +
            ", none: a text is wanted, and not null");
  CHECK(refused([&](JsonReading& reading) { (void)reading.truth(reading.member(root, "word")); }) ==
        "file: line 1, column 71, word: true or false is wanted, and not \"w\"");
  CHECK(refused([&](JsonReading& reading) { (void)reading.array(reading.member(root, "list"), 3); }) ==
        "file: line 1, column 84, list: it has to have 3 items, and not 2");
  CHECK(refused([&](JsonReading& reading) { (void)reading.member(reading.member(root, "list"), "x"); }) ==
        "file: line 1, column 84, list: an object is wanted, and not an array");
  CHECK(refused([&](JsonReading& reading) { (void)reading.only(root, {"one"}); }) ==
        "file: line 1, column 19, big: \"big\" is not known here");
  CHECK(refused([&](JsonReading& reading) { reading.refuse(root.find("one"), "one is odd"); }) ==
        "file: line 1, column 9, one: one is odd");
}

TEST_CASE("json: limits of depth, bytes and values hold, and depth costs no stack") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(Json::read(nested(64)).ok());
  CHECK(sentence(nested(65)) == "it: line 1, column 65: arrays and objects are more than 64 deep");
  CHECK(Json::read(nested(1'000'000), "", {.depth = 1'000'000}).ok());
  CHECK(sentence("[1, 2]", {.values = 2}) == "it: line 1, column 5: it has more than 2 values");
  CHECK(Json::read("[1, 2]", "", {.values = 3}).ok());
  CHECK(sentence("{\"a\": 1}", {.values = 2}) == "it: line 1, column 7: it has more than 2 values");
  CHECK(sentence("[1, 2]", {.bytes = 5}) == "it: line 1, column 1: it has 6 bytes, and at most 5 are read");
  CHECK(Json::read("[1, 2]", "", {.bytes = 6}).ok());
}

TEST_CASE("json: a document that is cut off anywhere is refused") {
  const std::string whole =
      "{\"a\\n\": [1.5e+3, -2, true, null, \"\\ud83d\\ude00ä\", {\"b\": [[]], \"c\": {}}], \"d\": false}";
  REQUIRE(Json::read(whole).ok());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(whole.substr(0, length));
    CHECK(Json::read(whole.substr(0, length)).status().error == Error::file_malformed);
  }
}

TEST_CASE("json: what is written is laid out in lines to a depth, and comes back") {
  const auto write = [](unsigned lines) {
    JsonWriter writer(lines);
    writer.begin_object().member("a", 1).name("b").begin_array().value(-2).value(2.0).value(0.1).value("x\ny");
    writer.begin_array().end_array().begin_object().member("yes", true).member("no", false).end_object().end_array();
    writer.name("c").null().name("d").begin_object().end_object().end_object();
    return writer.take();
  };
  CHECK(write(0) ==
        "{\"a\": 1, \"b\": [-2, 2.0, 0.1, \"x\\ny\", [], {\"yes\": true, \"no\": false}], \"c\": null, \"d\": {}}\n");
  CHECK(write(1) ==
        "{\n  \"a\": 1,\n  \"b\": [-2, 2.0, 0.1, \"x\\ny\", [], {\"yes\": true, \"no\": false}],\n  \"c\": null,\n"
        "  \"d\": {}\n}\n");
  CHECK(
      write(3) ==
      "{\n  \"a\": 1,\n  \"b\": [\n    -2,\n    2.0,\n    0.1,\n    \"x\\ny\",\n    [],\n    {\n      \"yes\": true,\n"
      "      \"no\": false\n    }\n  ],\n  \"c\": null,\n  \"d\": {}\n}\n");
  JsonWriter writer(0);
  writer.begin_array().value((std::numeric_limits<std::int64_t>::min)()).value(~std::uint64_t{0});
  writer.value(std::string("\x01\x1F\"\\\b\f\n\r\t\x7Fä€😀")).value(std::string_view("a\0b", 3)).value("\xC0\xFF!");
  writer.value(1e300).value(5e-324).value(-0.0).value(std::numeric_limits<double>::infinity()).value(std::uint8_t{65});
  writer.end_array();
  const std::string text = writer.take();
  CHECK(text == "[-9223372036854775808, 18446744073709551615, \"\\u0001\\u001f\\\"\\\\\\b\\f\\n\\r\\t\x7Fä€😀\", "
                "\"a\\u0000b\", \"\xEF\xBF\xBD\xEF\xBF\xBD!\", 1e+300, 5e-324, -0.0, null, 65]\n");
  const auto read = Json::read(text);
  REQUIRE(read.ok());
  CHECK(read.value().root().item(2).text() == "\x01\x1F\"\\\b\f\n\r\t\x7Fä€😀");
  CHECK(read.value().root().item(5).real() == 1e300);
  CHECK(writer.value(3).take() == "3\n");
  JsonWriter mixed(3);
  mixed.begin_array().begin_array(true).value(1).begin_array().value(2).end_array().end_array();
  mixed.begin_array().value(3).end_array().end_array();
  CHECK(mixed.take() == "[\n  [1, [2]],\n  [\n    3\n  ]\n]\n");
}

TEST_CASE("json: names in any order cost no more than sorting them") {
  // As many as a dictionary of vertices has, none in order.
  std::string text = "{";
  constexpr std::uint32_t count = 20'000;
  for (std::uint32_t at = 0; at < count; ++at)
    text += (at == 0 ? "\"v" : ", \"v") + std::to_string(at * 7919 % count) + "\": [" + std::to_string(at) + "]";
  REQUIRE(Json::read(text + "}").ok());
  CHECK(Json::read(text + ", \"v5\": 0}").sentence().find("an object has the name \"v5\" twice") != std::string::npos);
}
