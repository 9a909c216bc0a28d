// Tests of the trace format and of JSON strings.

#include "timeline/trace_json.h"

#include <gtest/gtest.h>

namespace fathom::diag {
namespace {

TEST(TraceJson, WritesTheTraceEventFormat) {
  TraceJson json;
  json.begin(7, "program");
  json.thread(1, "main", 70);
  json.span(1, "outer", {1'000}, {2'500'001});
  json.span(1, "turn", {0}, {20}, 3);
  json.instant(2, "wake", {1'100});
  json.log(2, "so \"far\"", {1'110});
  json.states(2, "worker", 80);
  json.run(2, {0}, {1'000}, 3);
  json.state(2, "waits", {1'000}, {1'500});
  json.counter("queue", {1'120}, 18'446'744'073'709'551'615U);
  json.arrow(1, 2, "steal", {5});
  json.end(6, 0);
  EXPECT_EQ(json.text(),
            R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":7,"name":"process_name","args":{"name":"program"}},
{"ph":"M","pid":7,"tid":1,"name":"thread_name","args":{"name":"main","system_id":70}},
{"ph":"M","pid":7,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":7,"tid":1,"name":"outer","ts":1,"dur":2499.001},
{"ph":"X","pid":7,"tid":1,"name":"turn","ts":0,"dur":0.02,"args":{"count":3}},
{"ph":"i","pid":7,"tid":2,"name":"wake","ts":1.1,"s":"t"},
{"ph":"i","pid":7,"tid":2,"name":"so \"far\"","ts":1.11,"s":"t","cat":"log"},
{"ph":"M","pid":7,"tid":1073741826,"name":"thread_name","args":{"name":"processor of worker","system_id":80}},
{"ph":"M","pid":7,"tid":1073741826,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":7,"tid":1073741826,"name":"runs","ts":0,"dur":1,"args":{"processor":3}},
{"ph":"X","pid":7,"tid":1073741826,"name":"waits","ts":1,"dur":0.5},
{"ph":"C","pid":7,"name":"queue","ts":1.12,"args":{"value":18446744073709551615}},
{"ph":"s","pid":7,"tid":1,"name":"steal","ts":0.005,"cat":"arrow","id":1},
{"ph":"f","pid":7,"tid":2,"name":"steal","ts":0.005,"cat":"arrow","id":1}
],"otherData":{"events":6,"lost":0}}
)");
}

TEST(TraceJson, SaysWhatIsKnownAboutContextSwitches) {
  TraceJson json;
  json.end(6, 1, "not recorded: \"why\"");
  EXPECT_EQ(json.text(), R"(
],"otherData":{"events":6,"lost":1,"context_switches":"not recorded: \"why\""}}
)");
}

TEST(QuotedJson, EscapesSpecialCharacters) {
  EXPECT_EQ(quoted_json("a/b c"), R"("a/b c")");
  EXPECT_EQ(quoted_json("say \"no\" \\ never"), R"("say \"no\" \\ never")");
  EXPECT_EQ(quoted_json(std::string_view("\0\n\x1f", 3)), R"("\u0000\u000a\u001f")");
}

TEST(QuotedJson, KeepsUtf8AndReplacesEveryOtherByte) {
  EXPECT_EQ(quoted_json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xb3"),
            "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xb3\"");
  EXPECT_EQ(quoted_json("\xff"), R"("\ufffd")");
  EXPECT_EQ(quoted_json("\xc3"), R"("\ufffd")");                                // truncated
  EXPECT_EQ(quoted_json("\xc0\xaf"), R"("\ufffd\ufffd")");                      // overlong
  EXPECT_EQ(quoted_json("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");            // a surrogate
  EXPECT_EQ(quoted_json("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");  // beyond U+10FFFF
}

}  // namespace
}  // namespace fathom::diag
