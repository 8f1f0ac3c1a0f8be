#include "src/core/json_object.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// What reading the field `tile` of the text, an object with a field `rows`, ends with.
std::string read_tile(std::string_view text, Index& rows) {
  const auto json = parse_json_object(text);
  if (!json) { return json.error().message; }
  JsonObject object(*json, "");
  object.read_object("tile", [&](const Json& value) {
    JsonObject tile(value, "tile");
    tile.require("rows");
    tile.read_index("rows", 1, 9, rows);
    return tile.finish();
  });
  const Status status = object.finish();
  return status ? "" : status.error().message;
}

TEST(JsonObject, ReadsAnObjectWithin) {
  Index rows = 0;
  EXPECT_EQ(read_tile(R"({"tile": {"rows": 7}})", rows), "");
  EXPECT_EQ(rows, 7);
}

TEST(JsonObject, RefusesWhatIsNoObjectOrNotThere) {
  Index rows = 0;
  EXPECT_EQ(read_tile(R"({"tile": 7})", rows), "field 'tile': 7 is no object");
  EXPECT_NE(read_tile("{}", rows), "");
  EXPECT_EQ(rows, 0);
}

TEST(JsonObject, KeepsTheFirstErrorWithin) {
  Index rows = 0;
  EXPECT_NE(read_tile(R"({"tile": {"rows": 70}})", rows).find("'tile.rows'"), std::string::npos);
  EXPECT_NE(read_tile(R"({"tile": {"rows": 7, "x": 1}})", rows).find("unknown field 'tile.x'"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
