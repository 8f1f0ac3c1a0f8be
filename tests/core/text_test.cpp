#include "src/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Quote, StaysOnOneLine) {
  EXPECT_EQ(quote("k=8"), "'k=8'");
  EXPECT_EQ(quote("a\nb\t\x01\xff"), "'a\\x0ab\\x09\\x01\\xff'");
  EXPECT_EQ(quote(""), "''");
}

TEST(Quote, CutsLongWordsInTheMiddle) {
  const std::string text = "start" + std::string(1000, '.') + "end";
  const std::string quoted = quote(text);
  EXPECT_LT(quoted.size(), 100u);
  EXPECT_EQ(quoted.substr(0, 6), "'start");
  EXPECT_EQ(quoted.substr(quoted.size() - 4), "end'");
}

TEST(ShellWord, QuotesOnlyWhatAShellWouldTouch) {
  EXPECT_EQ(shell_word("./a-b/c_1.so"), "./a-b/c_1.so");
  EXPECT_EQ(shell_word("py:a b.py"), "'py:a b.py'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(shell_word("a\nb'\\\x1b[2J"), "$'a\\x0ab\\'\\\\\\x1b[2J'");
  EXPECT_EQ(shell_word("gr\xc3\xb6\xc3\x9f \xe2\x80\xae"),
            "$'gr\\xc3\\xb6\\xc3\\x9f \\xe2\\x80\\xae'");
  EXPECT_EQ(shell_word("gr\xc3\xb6\xc3\x9f e"), "'gr\xc3\xb6\xc3\x9f e'");
}

TEST(NameText, QuotesWhatIsNoPlainWord) {
  EXPECT_EQ(name_text("./a-b/c_1.so"), "./a-b/c_1.so");
  EXPECT_EQ(name_text("sm90 (cuda) passed"), "'sm90 (cuda) passed'");
  EXPECT_EQ(name_text("it's\n"), "'it\\'s '");
  EXPECT_EQ(name_text(""), "''");
  EXPECT_EQ(name_text(std::string(500, 'n')).size(), kNameLength + 2);
}

TEST(OneLine, ShowsNothingThatIsNotSeen) {
  // Zero width, direction, tags, byte order, not characters.
  for (const char* hidden :
       {"\u200b", "\u200f", "\u202e", "\u2066", "\u2069", "\u2028", "\ufeff", "\u00ad", "\u061c",
        "\U000e0041", "\xef\xbf\xbf", "\xf0\x9f\xbf\xbe"}) {
    EXPECT_EQ(one_line(std::string("a") + hidden + "b"), "a?b") << quote(hidden);
  }
  for (const char* seen : {"\u00a1", "\u0600", "\u200a", "\u2010", "\u202f", "\u2070", "\ufffd"}) {
    EXPECT_EQ(one_line(seen), seen) << quote(seen);
  }
}

TEST(OneLine, IsCutInTheMiddleBetweenCharacters) {
  EXPECT_EQ(one_line("0123456789", 10), "0123456789");
  EXPECT_EQ(one_line("0123456789a", 9), "0123...9a");
  EXPECT_EQ(one_line("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac", 6), "\u20ac\u20ac...\u20ac");
  EXPECT_EQ(one_line("0123", 3), "...");
}

TEST(PlainLines, KeepLineEndsAlone) {
  EXPECT_EQ(plain_lines("a\x1b\n\tb\r\n"), "a \n b \n");
  EXPECT_EQ(plain_lines(""), "");
}

TEST(OneLine, IsOneLineOfUtf8) {
  EXPECT_EQ(one_line("no tile\nfits\x1b[2J\x7f"), "no tile fits [2J ");
  EXPECT_EQ(one_line("größer \u20ac \U0001f600"), "größer \u20ac \U0001f600");
  EXPECT_EQ(one_line("\xff|\xc3|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80"), "?|?|??|???|????");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "2J"),
            " 2J");  // a C1 control
  EXPECT_EQ(one_line("cut in \xe2\x82"), "cut in ??");
}

TEST(SplitWords, DropsEveryKindOfBlank) {
  EXPECT_THAT(split_words("  a\tb\r\n c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" \n"), IsEmpty());
}

TEST(SplitOutsideParentheses, KeepsCallsWhole) {
  EXPECT_THAT(split_outside_parentheses("1,f(2,g(3,4)),,5", ','),
              ElementsAre("1", "f(2,g(3,4))", "", "5"));
  EXPECT_THAT(split_outside_parentheses("", ','), ElementsAre(""));
  EXPECT_THAT(split_outside_parentheses("a),b", ','), ElementsAre("a)", "b"));
}

TEST(ParseIndex, TakesDigitsAlone) {
  EXPECT_EQ(parse_index("0"), 0);
  EXPECT_EQ(parse_index("9223372036854775807"), 9223372036854775807);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1.0", "0x10", "9223372036854775808"}) {
    EXPECT_FALSE(parse_index(bad).has_value()) << bad;
  }
  EXPECT_EQ(parse_u64("18446744073709551615"), 18446744073709551615u);
  EXPECT_FALSE(parse_u64("18446744073709551616").has_value());
}

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

}  // namespace
}  // namespace assay
