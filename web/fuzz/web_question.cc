// Fuzzes the API with requests, given as a line with the name and a line with the query: the
// response is JSON with a documented status, and the same request has the same response.

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/snapshot.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/testing/always.h"
#include "routes.h"

namespace fathom::web {
namespace {

// A varied tree as an ncdu export: hostile names, hard links, unreadable and excluded entries.
constexpr std::string_view kExport =
    R"([1,2,{"progname":"fathom","timestamp":1712345678},
[{"name":"/srv","asize":4096,"dsize":4096,"dev":1,"ino":1,"uid":0,"gid":0,"mode":16877,"mtime":1700000000},
{"name":"file","asize":5,"dsize":4096,"ino":2,"uid":1000,"gid":1000,"mode":33188,"mtime":1600000000},
{"name":"one of two","asize":900,"dsize":4096,"ino":3,"hlnkc":true,"nlink":2,"mode":33188,"mtime":-5},
{"name":"link","asize":4,"ino":4,"notreg":true,"mode":41471,"mtime":1},
{"name":"<script>\"\\\u001b[31m\r\n","asize":1,"dsize":4096,"ino":5,"mode":33188},
{"name":"core.c","asize":100000,"dsize":106496,"ino":6,"uid":4294967295,"mode":33188,"mtime":1712345000},
{"name":"gone","read_error":true},
{"name":"skipped","excluded":"pattern"},
[{"name":"empty","dsize":4096,"ino":7,"mode":16877}],
[{"name":"%2e%2e","dsize":4096,"ino":8,"mode":16877},
 [{"name":"\u2028deep","dsize":4096,"ino":9,"mode":16877,"read_error":true},
  {"name":"two of two","asize":900,"dsize":4096,"ino":3,"hlnkc":true,"nlink":2,"mode":33188},
  {"name":"__proto__","asize":3,"dsize":4096,"ino":10,"mode":33188}]]]])";

std::unique_ptr<const Snapshot> snapshot_of(bool of_running_scan) {
  fs::NcduImport read = fs::read_ncdu(fs::text_source(kExport));
  const auto nobody = std::make_shared<Owners>(
      fs::OwnerNames{.user = [](std::uint32_t) { return std::optional<std::string>("us\xff er"); },
                     .group = [](std::uint32_t) { return std::optional<std::string>(); }});
  return std::make_unique<const Snapshot>(std::move(read.scan), read.taken, 7, of_running_scan,
                                          nobody);
}

// Not about the scan: the list of snapshots, which is empty without a store.
bool is_of_store(std::string_view name) {
  return name == "snapshots";
}

// The state of a search, which has not begun.
bool is_of_search(std::string_view name) {
  return name == "duplicates" || name == "clean";
}

void expect_good(std::string_view name, const Answer& said, bool has_snapshot) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>(
      said.body.data(), said.body.size());
  testing::always(!json.HasParseError() && json.IsObject(), "a response is not JSON");
  for (const char byte : said.body) {
    testing::always(static_cast<unsigned char>(byte) >= 0x20, "a response has more than one line");
  }
  const int status = said.status;
  testing::always(
      status == 200 || status == 400 || status == 404 || (status == 503 && !has_snapshot),
      "an undocumented status");
  testing::always(json.HasMember("error") == (status != 200),
                  "status and error field do not match");
  if (status == 200) {
    return testing::always(json.HasMember("generation") || is_of_store(name),
                           "a response without a generation");
  }
  const rapidjson::Value& error = json["error"];
  testing::always(error.IsObject() && error["code"].IsString() && error["message"].IsString() &&
                      error["message"].GetStringLength() > 0,
                  "an error without a code or message");
}

void check(std::string_view text) {
  static const std::unique_ptr<const Snapshot> kComplete = snapshot_of(false);
  static const std::unique_ptr<const Snapshot> kOfRunningScan = snapshot_of(true);
  static const DuplicateState kNoDuplicates;
  const std::string_view name = text.substr(0, text.find('\n'));
  const std::string_view query = text.substr(std::min(name.size() + 1, text.size()));
  for (const Snapshot* const snapshot : {kComplete.get(), kOfRunningScan.get()}) {
    const Answer said = answer({name, query, snapshot, &kNoDuplicates});
    expect_good(name, said, true);
    const Answer again = answer({name, query, snapshot, &kNoDuplicates});
    testing::always(again.status == said.status && again.body == said.body,
                    "the response to the same request differs");
  }
  const Answer early = answer({name, query, nullptr, &kNoDuplicates});
  expect_good(name, early, false);
  testing::always(early.status != 200 || is_of_search(name) || is_of_store(name),
                  "a request succeeds before the first snapshot");
  expect_good("duplicates", answer({"duplicates", query, nullptr, &kNoDuplicates}), true);
}

}  // namespace
}  // namespace fathom::web

// libFuzzer prescribes the name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::web::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
