// Fuzzes requests with a body, given as a line with the name after plan/ and the body: the response
// is JSON with a documented status, sums agree with each other, and nothing is carried out, because
// nothing was reviewed.

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/acts.h"
#include "api/snapshot.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/testing/always.h"
#include "routes.h"

namespace fathom::web {
namespace {

// Nested directories, names of one inode in several of them, and a name that is not UTF-8.
constexpr std::string_view kExport =
    "[1,2,{\"progname\":\"fathom\",\"timestamp\":1712345678},"
    "[{\"name\":\"/srv\",\"dsize\":4096,\"dev\":1,\"ino\":1},"
    "{\"name\":\"file\",\"asize\":5,\"dsize\":4096,\"ino\":2},"
    "{\"name\":\"a.b\",\"asize\":9,\"dsize\":8192,\"ino\":3,\"hlnkc\":true,\"nlink\":2},"
    "[{\"name\":\"a\",\"dsize\":4096,\"ino\":4},"
    "{\"name\":\"x\",\"asize\":9,\"dsize\":8192,\"ino\":3,\"hlnkc\":true,\"nlink\":2},"
    "[{\"name\":\"\xff\",\"dsize\":4096,\"ino\":5},{\"name\":\"y\",\"dsize\":4096,\"ino\":6}]]]]";

std::unique_ptr<const Snapshot> made_snapshot(bool of_running_scan) {
  fs::NcduImport read = fs::read_ncdu(fs::text_source(kExport));
  return std::make_unique<const Snapshot>(std::move(read.scan), read.taken, 7, of_running_scan);
}

Acting allowed() {
  Acting acting;
  acting.allowed = true;
  acting.keep = [](const act::Plan&) -> std::string {
    testing::always(false, "a plan is carried out");
    return "";
  };
  acting.tell = [](const ActNotice&) { testing::always(false, "a code is told"); };
  return acting;
}

rapidjson::Document json_of(const Answer& said) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>(
      said.body.data(), said.body.size());
  testing::always(!json.HasParseError() && json.IsObject(), "a response is not JSON");
  testing::always(json.HasMember("error") == (said.status != 200),
                  "status and error field do not match");
  return json;
}

void expect_sound_sums(const rapidjson::Document& json, bool knows_freed) {
  std::uint64_t entries = 0;
  std::uint64_t used = 0;
  std::uint64_t freed = 0;
  for (const auto& item : json["items"].GetArray()) {
    entries += item["entries"].GetUint64();
    used += item["used_bytes"].GetUint64();
    testing::always(item["freed_bytes"].IsUint64() == knows_freed,
                    "what is freed is known wrongly");
    if (knows_freed) freed += item["freed_bytes"].GetUint64();
  }
  testing::always(entries == json["entries"].GetUint64(), "entries do not add up");
  testing::always(used == json["used_bytes"].GetUint64(), "bytes do not add up");
  if (!knows_freed) return;
  testing::always(json["freed_bytes"].GetUint64() >= freed, "together they free less");
  testing::always(json["freed_bytes"].GetUint64() <= used, "they free more than they use");
}

void check_body(std::string_view text) {
  static const std::unique_ptr<const Snapshot> kComplete = made_snapshot(false);
  static const std::unique_ptr<const Snapshot> kOfRunningScan = made_snapshot(true);
  static Acts acts(allowed(), /*of_saved_scan=*/false);
  static Acts saved(allowed(), /*of_saved_scan=*/true);
  const std::string_view name = text.substr(0, text.find('\n'));
  const std::string path = "plan/" + std::string(name);
  const bool examines = name == "draft" || name == "review";
  for (const Snapshot* const snapshot : {kComplete.get(), kOfRunningScan.get()}) {
    Question question{.path = path, .snapshot = snapshot};
    question.method = Method::post;
    question.body = text.substr(std::min(name.size() + 1, text.size()));
    question.acts = examines ? &saved : &acts;  // a plan would look at the filesystem
    const Answer said = answer(question);
    const rapidjson::Document json = json_of(said);
    testing::always(said.status == 200 || said.status == 400 || said.status == 403 ||
                        said.status == 404 || said.status == 409,
                    "an undocumented status");
    testing::always(said.status != 200 || name == "sums", "something is carried out");
    if (said.status == 200) expect_sound_sums(json, !snapshot->of_running_scan());
  }
}

}  // namespace
}  // namespace fathom::web

// libFuzzer prescribes the name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::web::check_body({reinterpret_cast<const char*>(data), size});
  return 0;
}
