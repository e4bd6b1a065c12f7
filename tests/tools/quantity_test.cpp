#include "tools/quantity.h"

#include <gtest/gtest.h>

namespace comback::tools {
namespace {

TEST(ParseSize, ReadsPowersOf1024) {
  EXPECT_EQ(*parse_size("65536"), 65536u);
  EXPECT_EQ(*parse_size("512M"), 512ull << 20);
  EXPECT_EQ(*parse_size("1.5G"), 3ull << 29);
  EXPECT_EQ(*parse_size("4g"), 4ull << 30);
  EXPECT_EQ(*parse_size("2KiB"), 2048u);
  EXPECT_EQ(*parse_size("1TB"), 1ull << 40);
  EXPECT_EQ(*parse_size("100B"), 100u);
}

TEST(ParseSize, RefusesTheRestAndSaysWhatIsAccepted) {
  for (const char* text : {"", "M", "5X", "-1M", "+1M", "0", "0M", "1.5", "1e6", "1 M", "M5",
                           "1..5G", "999999999E", "0x10", "1GG", "12Q", "1KBB", "nan", "inf"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text << " = " << *size;
    EXPECT_NE(size.error().what.find(std::string("'") + text + "' is not a size"),
              std::string::npos);
    EXPECT_NE(size.error().what.find("512M or 1.5G"), std::string::npos);
  }
}

TEST(ParseCount, ReadsPowersOf1000) {
  EXPECT_EQ(*parse_count("0"), 0u);
  EXPECT_EQ(*parse_count("1234567"), 1234567u);
  EXPECT_EQ(*parse_count("10M"), 10'000'000u);
  EXPECT_EQ(*parse_count("2.5k"), 2500u);
  for (const char* text : {"", "-3", "1.5", "10MB", "ten", "1,000"})
    EXPECT_FALSE(parse_count(text));
}

TEST(ParseDuration, ReadsUnitsThatFall) {
  EXPECT_DOUBLE_EQ(parse_duration("90")->count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("60s")->count(), 60);
  EXPECT_DOUBLE_EQ(parse_duration("10m")->count(), 600);
  EXPECT_DOUBLE_EQ(parse_duration("1h30m")->count(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("1d2h3m4s500ms")->count(), 93784.5);
  EXPECT_DOUBLE_EQ(parse_duration("0.5s")->count(), 0.5);
  EXPECT_DOUBLE_EQ(parse_duration("250ms")->count(), 0.25);
}

TEST(ParseDuration, RefusesTheRestAndSaysWhatIsAccepted) {
  for (const char* text : {"", "s", "3y", "-1s", "30m1h", "1h30", "10 m", "0s", "1h1h", "1e300s"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_NE(duration.error().what.find("1h30m"), std::string::npos);
  }
}

TEST(Format, Sizes) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1.0 KiB");
  EXPECT_EQ(format_size(41ull << 20), "41.0 MiB");
  EXPECT_EQ(format_size((1ull << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_size(3ull << 29), "1.5 GiB");
}

TEST(Format, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Format, RatesAndDurations) {
  EXPECT_EQ(format_rate(950, "states"), "950 states/s");
  EXPECT_EQ(format_rate(95'000, "states"), "95 k states/s");
  EXPECT_EQ(format_rate(1'234'567, "states"), "1.23 M states/s");
  EXPECT_EQ(format_rate(95'000), "95 k/s");
  EXPECT_EQ(format_duration(0.0032), "3.2 ms");
  EXPECT_EQ(format_duration(0.214), "0.21 s");
  EXPECT_EQ(format_duration(12.9), "12 s");
  EXPECT_EQ(format_duration(187), "3 min 07 s");
  EXPECT_EQ(format_duration(7500), "2 h 05 min");
}

}  // namespace
}  // namespace comback::tools
