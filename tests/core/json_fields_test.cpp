#include "src/core/json_fields.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/json_object.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

enum class Colour : std::uint8_t { kRed, kBlue };

struct Tile {
  Index rows = 0;
  friend bool operator==(const Tile&, const Tile&) = default;
};
struct Sheet {
  std::string name{};
  Colour colour = Colour::kRed;
  Index stack = 1;
  bool folded = false;
  double ratio = 0;
  std::optional<double> share{};
  std::vector<std::uint64_t> seeds{};
  std::map<std::string, Index> counts{};
  std::optional<Tile> first{};
  std::vector<Tile> tiles{};
  friend bool operator==(const Sheet&, const Sheet&) = default;
};

}  // namespace

void fields(JsonFields& json, Tile& tile) { json("rows", tile.rows, Within{1, 9}); }
void fields(JsonFields& json, Sheet& sheet) {
  json("name", sheet.name);
  json.word("colour", sheet.colour, {"red", "blue"});
  json.sparse("stack", sheet.stack, 1);
  json("ratio", sheet.ratio);
  json("share", sheet.share);
  json("seeds", sheet.seeds);
  json("counts", sheet.counts);
  json.note("forPeople", sheet.tiles.size());
  json.lenient("first", sheet.first);
  json("tiles", sheet.tiles);
  json.object("marks", [&](JsonFields& marks) { marks("folded", sheet.folded); });
}

namespace {

const Sheet kSheet = {.name = "a",
                      .colour = Colour::kBlue,
                      .ratio = std::numeric_limits<double>::infinity(),
                      .share = 0.5,
                      .seeds = {1, ~std::uint64_t{0}},
                      .counts = {{"x", 2}},
                      .first = Tile{7},
                      .tiles = {{1}, {2}}};
constexpr std::string_view kText =
    R"({"name":"a","colour":"blue","ratio":"inf","share":0.5,"seeds":[1,18446744073709551615],)"
    R"("counts":{"x":2},"forPeople":2,"first":{"rows":7},"tiles":[{"rows":1},{"rows":2}],)"
    R"("marks":{"folded":false}})";

// What reading the text with one part replaced ends with.
std::string message(const std::string& part, const std::string& by) {
  std::string text(kText);
  text.replace(text.find(part), part.size(), by);
  Sheet sheet;
  const Status status = read_json(parse_json_object(text).value(), "", sheet);
  return status ? "" : status.error().message;
}

TEST(JsonFields, OneDescriptionWritesAndReads) {
  EXPECT_EQ(compact_text(json_of(kSheet)), kText);
  Sheet read;
  const Status status = read_json(parse_json_object(kText).value(), "", read);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(read, kSheet);
  const Sheet plain = {.stack = 2, .folded = true, .share = {}, .first = {}};
  EXPECT_EQ(compact_text(json_of(plain)),
            R"({"name":"","colour":"red","stack":2,"ratio":0.0,"share":null,"seeds":[],)"
            R"("counts":{},"forPeople":0,"first":null,"tiles":[],"marks":{"folded":true}})");
}

TEST(JsonFields, WhatIsWrongIsNamed) {
  EXPECT_EQ(message("\"name\":\"a\",", ""), "field 'name': is missing");
  EXPECT_EQ(message(R"("first":{"rows":7},)", ""), "") << "older texts may lack it";
  EXPECT_EQ(message(":7", ":70"), "field 'first.rows': 70 is not an integer from 1 to 9");
  EXPECT_EQ(message("{\"rows\":7}", "7"), "field 'first': 7 is not an object");
  EXPECT_THAT(message("\"rows\":2", "\"rows\":2,\"x\":1"), HasSubstr("unknown field 'tiles[1].x'"));
  EXPECT_EQ(message(",\"marks\":{\"folded\":false}", ""), "field 'marks': is missing");
  EXPECT_THAT(message("\"name\"", "\"nam\""), HasSubstr("unknown field 'nam'"));
  EXPECT_THAT(message("[{\"rows\":1},{\"rows\":2}]", "{}"), HasSubstr("'tiles': {} is not an"));
  EXPECT_THAT(message("blue", "green"), HasSubstr("'colour': \"green\" is none of red, blue"));
  EXPECT_THAT(message("[1,", "[-1,"), HasSubstr("'seeds': -1 is not a count"));
  EXPECT_THAT(message("{\"x\":2}", "{\"x\":-2}"), HasSubstr("'counts': -2 is not a count"));
  EXPECT_THAT(message("0.5", "\"half\""), HasSubstr("'share': \"half\" is not a number"));
}

TEST(ParseJsonObject, EndsBeforeTheStackDoes) {
  const std::string deep = "{\"a\": " + std::string(100'000, '[');
  EXPECT_EQ(parse_json_object(deep).error().message, "nested deeper than 64 levels");
  const std::string text = "{\"a\": \"" + std::string(100, '[') + "\\\"" + "\"}";
  EXPECT_TRUE(parse_json_object(text)) << "brackets within a text";
}

}  // namespace
}  // namespace assay
