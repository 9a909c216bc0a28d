// Tests of Server: fast, slow, many and vanished clients, during a scan and at shutdown.

#include "fathom/web/server.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/testing/temp_tree.h"
#include "held_scan.h"
#include "http/gzip.h"
#include "http_client.h"
#include "running_server.h"

namespace fathom::web {
namespace {

using testing::TempTree;

ServerOptions options_for(const std::string& root, const rt::Observer* observer = nullptr) {
  ServerOptions options;
  options.subject.scan.roots = {root};
  options.subject.scan.threads = 2;
  options.subject.scan.observer = observer;
  return options;
}

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (json.HasParseError() || !json.IsObject()) throw std::runtime_error("bad JSON: " + text);
  return json;
}

std::string text_in(const rapidjson::Value& json, const char* key) {
  return json[key].GetString();
}
std::uint64_t number_in(const rapidjson::Value& json, const char* key) {
  return json[key].GetUint64();
}

// The server-sent events of a connection, in order of arrival.
class Events {
 public:
  explicit Events(const RunningServer& server) : client_(server.connect()) {
    client_.send(server.request("/api/1/events"));
    head_ = client_.head();
  }
  [[nodiscard]] const HttpReply& head() const { return head_; }
  // The status of the next event; nullopt at the end of the stream.
  std::optional<rapidjson::Document> next() {
    for (;;) {
      const std::optional<std::string> event = client_.until("\n\n");
      if (!event) return std::nullopt;
      if (event->starts_with(':')) continue;
      constexpr std::string_view kBegin = "event: status\ndata: ";
      if (!event->starts_with(kBegin)) throw std::runtime_error("no event: " + *event);
      return parsed(event->substr(kBegin.size()));
    }
  }
  // The events up to the first with that state.
  std::vector<rapidjson::Document> until(const std::string& state) {
    std::vector<rapidjson::Document> all;
    while (auto event = next()) {
      all.push_back(std::move(*event));
      if (text_in(all.back(), "state") == state) return all;
    }
    throw std::runtime_error("they ended before " + state);
  }
  HttpClient& client() { return client_; }

 private:
  HttpClient client_;
  HttpReply head_;
};

void await_complete(const RunningServer& server) {
  Events(server).until("complete");
}

std::string error_code(const HttpReply& reply) {
  return text_in(parsed(reply.body)["error"], "code");
}

// ---- One request after the other

TEST(Server, AnswersARequestAboutItsScan) {
  TempTree tree;
  tree.file("a/b", 5);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const HttpReply reply = server.ask("/api/1/children");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const auto json = parsed(reply.body);
  EXPECT_EQ(text_in(json, "path"), tree.path());
  EXPECT_EQ(number_in(json, "total"), 1U);
  EXPECT_EQ(text_in(json["children"][0], "name"), "a");
}

// More requests than one read returns, while other threads compute the responses.
TEST(Server, AnswersPipelinedRequestsInOrder) {
  constexpr int kRequests = 2000;
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  std::string all;
  for (int i = 1; i <= kRequests; ++i) {
    all += server.request(i % 3 == 0 ? "/nothing/here"
                                     : "/api/1/search?q=a&offset=" + std::to_string(i));
  }
  std::thread sender([&] { client.send(all); });
  int answered = 0;
  while (answered < kRequests && client.reply().status == ((answered + 1) % 3 == 0 ? 404 : 200)) {
    ++answered;
  }
  EXPECT_EQ(answered, kRequests);
  client.end_sending();
  sender.join();
}

TEST(Server, AnswersAClientThatHasClosedItsSendingSide) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  client.send(server.request("/api/1/search?q=a"));
  client.end_sending();
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_TRUE(client.at_end());
}

TEST(Server, AnswersRequestsThatArriveByteByByte) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  for (int i = 0; i < 2; ++i) {
    for (const char byte : server.request("/api/1/status")) client.send({&byte, 1});
    EXPECT_EQ(client.reply().status, 200);
  }
}

TEST(Server, ClosesAConnectionAfterAnInvalidRequest) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  HttpClient client = server.connect();
  client.send("NONSENSE\r\n\r\n" + server.request("/api/1/status"));
  const HttpReply reply = client.reply();
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_code(reply), "bad_request");
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(client.at_end()) << "what follows cannot be made out";
}

TEST(Server, ClosesAConnectionOnRequest) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  for (const char* header : {"Connection: close\r\n", "Connection: x, Close\r\n"}) {
    HttpClient client = server.connect();
    client.send(server.request("/api/1/status", "GET", header) + server.request("/api/1/status"));
    const HttpReply reply = client.reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("connection"), "close");
    EXPECT_TRUE(client.at_end());
  }
}

// Strangers must not keep connections open by requests that are refused.
TEST(Server, ClosesAConnectionAfterARefusedRequest) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  const std::string host = "Host: " + server.host() + "\r\n";
  const std::string token = "Authorization: Bearer " + server.token() + "\r\n";
  const std::vector<std::pair<int, std::string>> refused = {
      {400, token},
      {401, host},
      {401, host + "Authorization: Bearer x\r\n"},
      {403, host + token + "Origin: http://example.com\r\n"},
      {421, "Host: example.com\r\n" + token}};
  for (const auto& [status, headers] : refused) {
    for (const char* target : {"/", "/api/1/status"}) {
      HttpClient client = server.connect();
      client.send(std::string("GET ") + target + " HTTP/1.1\r\n" + headers + "\r\n" +
                  server.request("/api/1/status"));
      const HttpReply reply = client.reply();
      EXPECT_EQ(reply.status, status);
      EXPECT_EQ(reply.header("connection"), "close") << status;
      EXPECT_TRUE(client.at_end()) << "the next request was answered after " << status;
    }
  }
}

TEST(Server, KeepsAConnectionAfterAnErrorOfAClientWithTheToken) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  for (const char* target : {"/nothing", "/api/1/nothing", "/api/1/children?x", "/api/1/status"}) {
    client.send(server.request(target));
    EXPECT_EQ(client.reply().header("connection"), "") << target;
  }
}

// ---- Bodies

std::string sums_request(const RunningServer& server, const std::string& body,
                         const std::string& headers = "") {
  return server.request("/api/1/plan/sums", "POST",
                        "Content-Length: " + std::to_string(body.size()) + "\r\n" + headers) +
         body;
}

std::string body_about(const std::string& path) {
  return R"({"paths":[")" + path + R"("]})";
}

TEST(Server, AnswersARequestWithABody) {
  TempTree tree;
  tree.file("a", 5);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  const std::string body = body_about(tree.path("a"));
  client.send(sums_request(server, body, "If-None-Match: *\r\n") + server.request("/api/1/status"));
  const HttpReply reply = client.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("etag"), "");
  EXPECT_EQ(number_in(parsed(reply.body), "entries"), 1U);
  EXPECT_EQ(client.reply().status, 200) << "the next request follows the body";
}

TEST(Server, AnswersABodyThatArrivesByteByByte) {
  TempTree tree;
  tree.file("a", 5);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  for (const char byte : sums_request(server, body_about(tree.path("a")))) {
    client.send(std::string(1, byte));
  }
  EXPECT_EQ(number_in(parsed(client.reply().body), "entries"), 1U);
}

TEST(Server, TellsAClientThatWaitsToSendItsBody) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  HttpClient client = server.connect();
  const std::string request =
      sums_request(server, body_about("/nothing"), "Expect: 100-continue\r\n");
  const std::size_t head = request.find("\r\n\r\n") + 4;
  client.send(request.substr(0, head));
  EXPECT_EQ(client.head().status, 100);
  client.send(request.substr(head));
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Server, IgnoresTheBodyOfARequestThatNeedsNone) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  for (const char* const method : {"GET", "HEAD"}) {
    for (const char* const target : {"/api/1/tree?depth=1", "/api/1/children", "/api/1/status"}) {
      HttpClient client = server.connect();
      client.send(server.request(target, method, "Content-Length: 3\r\n") + "abc" +
                  server.request("/api/1/reports/summary"));
      EXPECT_EQ(client.reply(method == std::string("HEAD")).status, 200) << method << target;
      EXPECT_EQ(client.reply().status, 200) << "the next request follows the body";
    }
  }
}

TEST(Server, RefusesABodyThatIsTooLarge) {
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const std::string full = body_about(std::string(kLimit - body_about("").size(), 'x'));
  HttpClient client = server.connect();
  client.send(sums_request(server, full));
  EXPECT_EQ(client.reply().status, 200);
  const auto refusal_of = [&](const std::string& path, std::size_t size) {
    const HttpReply reply =
        server.ask(path, "POST", "Content-Length: " + std::to_string(size) + "\r\n");
    return std::to_string(reply.status) + ' ' + error_code(reply);
  };
  EXPECT_EQ(refusal_of("/api/1/plan/sums", kLimit + 1), "413 too_large");
  EXPECT_EQ(refusal_of("/api/1/rescan", (std::size_t{64} << 10) + 1), "413 too_large");
}

TEST(Server, DoesNotWaitForTheBodyOfARefusedRequest) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  const std::string head = "POST /api/1/plan/sums HTTP/1.1\r\nContent-Length: 5000\r\n";
  const std::string host = "Host: " + server.host() + "\r\n";
  const std::string token = "Authorization: Bearer " + server.token() + "\r\n";
  for (const auto& [status, headers] : std::vector<std::pair<int, std::string>>{
           {401, host}, {403, host + token + "Origin: http://example.com\r\n"}, {421, token}}) {
    HttpClient client = server.connect();
    const bool has_host = headers.find("Host") != std::string::npos;
    client.send(head + (has_host ? "" : "Host: example.com\r\n") + headers + "\r\n");
    EXPECT_EQ(client.reply().status, status);
  }
}

// Each client announces as much as it may, and sends nothing.
TEST(Server, KeepsNoMoreBodiesThanFitInItsMemory) {
  constexpr std::size_t kBodies = 4;
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const std::string large = "Content-Length: 4194304\r\nExpect: 100-continue\r\n";
  std::vector<HttpClient> clients;
  for (std::size_t i = 0; i < kBodies; ++i) {
    clients.push_back(server.connect());
    clients.back().send(server.request("/api/1/plan/sums", "POST", large));
    EXPECT_EQ(clients.back().head().status, 100);
  }
  for (const std::string& length : {std::string("10"), std::string("4194304")}) {
    const HttpReply refused =
        server.ask("/api/1/plan/sums", "POST", "Content-Length: " + length + "\r\n");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(error_code(refused), "busy");
    EXPECT_EQ(refused.header("connection"), length == "10" ? "" : "close");
  }
  EXPECT_EQ(server.ask("/api/1/status").status, 200);
}

TEST(Server, AnswersHeadLikeGet) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  for (const char* target :
       {"/api/1/children", "/api/1/status", "/api/1/tree", "/api/1/reports/summary",
        "/api/1/duplicates", "/nothing", "/api/1/nothing", "/api/1/children?x"}) {
    HttpClient client = server.connect();
    client.send(server.request(target) + server.request(target, "HEAD") + server.request(target));
    HttpReply get = client.reply();
    HttpReply head = client.reply(true);
    EXPECT_EQ(client.reply().status, get.status) << "the body of HEAD came between";
    EXPECT_EQ(head.status, get.status) << target;
    get.headers.erase("date");
    head.headers.erase("date");
    EXPECT_EQ(head.headers, get.headers) << target;
  }
}

TEST(Server, AnswersNotModifiedForAMatchingETag) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  for (const char* target :
       {"/api/1/children", "/api/1/status", "/api/1/search?q=x", "/api/1/duplicates"}) {
    const HttpReply first = server.ask(target);
    const std::string etag = first.header("etag");
    ASSERT_NE(etag, "") << target;
    for (const std::string& match : {etag, "W/" + etag, "\"x\", " + etag, std::string("*")}) {
      const HttpReply again = server.ask(target, "GET", "If-None-Match: " + match + "\r\n");
      EXPECT_EQ(again.status, 304) << target << ' ' << match;
      EXPECT_EQ(again.header("etag"), etag);
      EXPECT_EQ(again.body, "");
    }
    EXPECT_EQ(server.ask(target, "GET", "If-None-Match: \"x\"\r\n").body, first.body) << target;
  }
}

TEST(Server, CompressesLongResponsesIfTheClientAcceptsIt) {
  TempTree tree;
  for (int i = 0; i < 50; ++i) tree.file("file number " + std::to_string(i), 1);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const HttpReply plain = server.ask("/api/1/children");
  EXPECT_EQ(plain.header("content-encoding"), "");
  EXPECT_EQ(plain.header("vary"), "Accept-Encoding");
  for (int i = 0; i < 2; ++i) {  // computed, then from the cache
    const HttpReply packed = server.ask("/api/1/children", "GET", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(packed.header("content-encoding"), "gzip");
    EXPECT_EQ(packed.header("vary"), "Accept-Encoding");
    EXPECT_LT(packed.body.size(), plain.body.size() / 2);
    EXPECT_EQ(gunzip(packed.body), plain.body);
    EXPECT_NE(packed.header("etag"), plain.header("etag"));
  }
  EXPECT_EQ(server.ask("/api/1/children", "GET", "Accept-Encoding: gzip;q=0\r\n").body, plain.body);
}

// ---- Scans

TEST(Server, ShowsARunningScan) {
  TempTree tree;
  tree.deep_chain("", 20);
  HeldScan held(0);
  RunningServer server(options_for(tree.path(), &held));
  const HttpReply early = server.ask("/api/1/children");
  if (early.status != 503) {  // the first progress may have been published already
    EXPECT_EQ(early.status, 200);
    EXPECT_GT(parsed(early.body)["generation"].GetUint64(), 0U);
  }
  Events events(server);
  EXPECT_EQ(events.head().status, 200);
  EXPECT_EQ(events.head().header("content-type"), "text/event-stream");
  EXPECT_EQ(events.head().header("content-length"), "");
  std::vector<std::uint64_t> generations;
  std::uint64_t entries = 0;
  while (generations.size() < 3) {
    const auto event = events.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(text_in(*event, "state"), "scanning");
    EXPECT_TRUE((*event)["progress"].IsObject());
    const std::uint64_t generation = (*event)["generation"].GetUint64();
    EXPECT_GE((*event)["totals"]["entries"].GetUint64(), entries);
    entries = (*event)["totals"]["entries"].GetUint64();
    if (generation == 0 || (!generations.empty() && generations.back() == generation)) continue;
    EXPECT_TRUE(generations.empty() || generation > generations.back());
    generations.push_back(generation);
    const auto children = parsed(server.ask("/api/1/children").body);
    EXPECT_GE(children["generation"].GetUint64(), generation);
    EXPECT_TRUE(children["entry"]["exclusive_bytes"].IsNull());
    held.let(3);
  }
  held.release();
  const auto last = events.until("complete");
  EXPECT_GT(last.back()["generation"].GetUint64(), generations.back());
  EXPECT_EQ(number_in(last.back()["totals"], "entries"), 21U);
  EXPECT_TRUE(last.back()["progress"].IsNull());
  EXPECT_FALSE(parsed(server.ask("/api/1/children").body)["entry"]["exclusive_bytes"].IsNull());
}

TEST(Server, RefusesASecondScanWhileOneRuns) {
  TempTree tree;
  HeldScan held(0);
  RunningServer server(options_for(tree.path(), &held));
  EXPECT_EQ(server.ask("/api/1/rescan", "POST").status, 409);
  EXPECT_EQ(error_code(server.ask("/api/1/duplicates", "POST")), "conflict");
  held.release();
  await_complete(server);
  const HttpReply reply = server.ask("/api/1/rescan", "POST");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(text_in(parsed(reply.body), "state"), "scanning");
  await_complete(server);
}

TEST(Server, AnswersFromTheNewestSnapshotAfterARescan) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const HttpReply before = server.ask("/api/1/children");
  tree.file("new", 1);
  ASSERT_EQ(server.ask("/api/1/rescan", "POST").status, 202);
  await_complete(server);
  const HttpReply after = server.ask("/api/1/children");
  EXPECT_EQ(number_in(parsed(after.body), "total"), 1U);
  EXPECT_GT(parsed(after.body)["generation"].GetUint64(),
            parsed(before.body)["generation"].GetUint64());
  EXPECT_NE(after.header("etag"), before.header("etag"));
}

TEST(Server, DoesNotScanOnGetRequests) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  const auto generation_of = [&] {
    return parsed(server.ask("/api/1/status").body)["generation"].GetUint64();
  };
  const std::uint64_t generation = generation_of();
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
    const HttpReply reply = server.ask("/api/1/rescan", method);
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.header("allow"), "POST");
  }
  EXPECT_EQ(generation_of(), generation);
}

TEST(Server, ReportsDuplicatesOnceTheyAreFound) {
  TempTree tree;
  tree.file("a", 10'000);
  tree.file("b", 10'000);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  EXPECT_EQ(text_in(parsed(server.ask("/api/1/duplicates").body), "state"), "none");
  EXPECT_EQ(server.ask("/api/1/duplicates", "POST").status, 202);
  rapidjson::Document found;
  do {
    found = parsed(server.ask("/api/1/duplicates").body);
  } while (text_in(found, "state") == "running");
  EXPECT_EQ(text_in(found, "state"), "complete");
  EXPECT_EQ(number_in(found["totals"], "groups"), 1U);
  EXPECT_EQ(number_in(found["groups"][0], "names"), 2U);
}

// ---- Listeners

TEST(Server, LimitsTheNumberOfListeners) {
  constexpr std::size_t kMost = 64;
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  std::vector<std::unique_ptr<Events>> listeners;
  for (std::size_t i = 0; i < kMost; ++i) {
    listeners.push_back(std::make_unique<Events>(server));
    ASSERT_EQ(listeners.back()->head().status, 200);
  }
  const HttpReply refused = server.ask("/api/1/events");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(error_code(refused), "busy");
  EXPECT_EQ(refused.header("retry-after"), "1");
  listeners.pop_back();
  HttpReply again;
  do {
    HttpClient client = server.connect();  // the other connection may take a moment to close
    client.send(server.request("/api/1/events"));
    again = client.head();
  } while (again.status == 503);
  EXPECT_EQ(again.status, 200);
}

TEST(Server, SendsNoEventsToHead) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  HttpClient client = server.connect();
  client.send(server.request("/api/1/events", "HEAD"));
  const HttpReply reply = client.head();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "text/event-stream");
  EXPECT_TRUE(client.at_end());
}

// Missing roots with paths so long that an event that names them is a megabyte.
std::vector<std::string> long_roots(const TempTree& tree) {
  std::vector<std::string> roots = {tree.path()};
  for (int i = 0; i < 260; ++i) {
    std::string path = tree.path() + "/missing" + std::to_string(i);
    while (path.size() < 4000) path += "/" + std::string(200, 'x');
    roots.push_back(path);
  }
  return roots;
}

// Each rescan sends at least two events. A client that does not read misses most of them, and gets
// the newest when it reads again. The server neither waits for it nor keeps the missed events.
TEST(Server, SendsTheNewestEventToASlowClient) {
  constexpr std::uint64_t kScans = 15;
  TempTree tree;
  ServerOptions options = options_for(tree.path());
  options.subject.scan.roots = long_roots(tree);
  RunningServer server(options);
  Events slow(server);
  for (std::uint64_t i = 0; i < kScans; ++i) {
    await_complete(server);
    ASSERT_EQ(server.ask("/api/1/rescan", "POST").status, 202);
  }
  await_complete(server);
  const std::uint64_t newest = number_in(parsed(server.ask("/api/1/status").body), "generation");
  EXPECT_GE(newest, kScans + 1);  // more if a scan lasts so long that it sends snapshots
  std::uint64_t last = 0;
  std::uint64_t told = 0;
  while (last < newest) {
    const auto event = slow.next();
    ASSERT_TRUE(event);
    EXPECT_GE(number_in(*event, "generation"), last);
    last = number_in(*event, "generation");
    ++told;
  }
  EXPECT_EQ(last, newest);
  EXPECT_LT(told, kScans) << "nothing was missed, so nothing was tried";
}

// ---- Many clients, and clients that do not wait

TEST(Server, AnswersManyClientsAtTheSameTime) {
  TempTree tree;
  for (int i = 0; i < 30; ++i) tree.file("d" + std::to_string(i % 5) + "/f" + std::to_string(i), 1);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&server, i] {
      HttpClient client = server.connect();
      for (int round = 0; round < 50; ++round) {
        client.send(server.request("/api/1/tree?nodes=" + std::to_string(1 + (round + i) % 20)));
        EXPECT_EQ(client.reply().status, 200);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Many clients send the same request at the same time; one computation answers them.
TEST(Server, AnswersTheSameRequestOfManyClientsAlike) {
  TempTree tree;
  tree.file("f", 1);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(server.connect());
    clients.back().send(server.request("/api/1/search?q=f"));
  }
  const std::string body = server.ask("/api/1/search?q=f").body;
  for (HttpClient& client : clients) EXPECT_EQ(client.reply().body, body);
}

TEST(Server, AnswersOrRefusesEachRequestWhenOverloaded) {
  constexpr int kMost = 256;
  constexpr int kClients = kMost + 50;
  TempTree tree;
  for (int i = 0; i < 300; ++i) tree.file("d" + std::to_string(i) + "/f", 1);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  // All requests arrive before the loop reads the first, so that none is answered before the
  // others.
  std::vector<HttpClient> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(server.connect());
  (void)server.ask("/api/1/status");  // all connections are accepted by now
  std::promise<void> go_on = server.hold_loop();
  for (int i = 0; i < kClients; ++i) {
    clients[static_cast<std::size_t>(i)].send(
        server.request("/api/1/search?q=f&offset=" + std::to_string(i)));
  }
  go_on.set_value();
  int answered = 0;
  int refused = 0;
  for (HttpClient& client : clients) {
    const HttpReply reply = client.reply();
    if (reply.status == 200) ++answered;
    if (reply.status != 503) continue;
    ++refused;
    EXPECT_EQ(error_code(reply), "busy");
    EXPECT_EQ(reply.header("retry-after"), "1");
  }
  EXPECT_EQ(answered + refused, kClients);
  EXPECT_GE(answered, kMost);
}

TEST(Server, ContinuesWhenAClientHasGone) {
  TempTree tree;
  for (int i = 0; i < 300; ++i) tree.file("d" + std::to_string(i) + "/f", 1);
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  for (int i = 0; i < 100; ++i) {
    HttpClient client = server.connect();
    client.send(server.request("/api/1/search?q=f&offset=" + std::to_string(i)));
    client.close();
  }
  EXPECT_EQ(server.ask("/api/1/search?q=f").status, 200);
}

// ---- Shutdown

TEST(Server, StopsWithRequestsInProgress) {
  TempTree tree;
  for (int i = 0; i < 300; ++i) tree.file("d" + std::to_string(i) + "/f", 1);
  for (int round = 0; round < 10; ++round) {
    HeldScan held(1000);
    RunningServer server(options_for(tree.path(), &held));
    await_complete(server);
    Events listener(server);
    held.hold(static_cast<std::size_t>(round));
    ASSERT_EQ(server.ask("/api/1/rescan", "POST").status, 202);
    held.await();
    std::vector<HttpClient> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(server.connect());
      clients.back().send(server.request("/api/1/search?q=f&offset=" + std::to_string(i)) +
                          "GET / HT");
    }
    std::thread later([&] { held.release(); });
    server.destroy();
    later.join();
    while (listener.next()) {
    }
    for (HttpClient& client : clients) {
      while (client.reply().status != 0) {
      }
    }
  }
}

TEST(Server, StopsWithPlansInProgress) {
  TempTree tree;
  for (int i = 0; i < 300; ++i) tree.file("d" + std::to_string(i) + "/f", 1);
  for (int round = 0; round < 10; ++round) {
    RunningServer server(options_for(tree.path()));
    await_complete(server);
    std::string paths;
    for (int i = 0; i < 300; ++i) {
      paths += (i > 0 ? ",\"" : "\"") + tree.path("d" + std::to_string(i)) + '"';
    }
    const std::string body = R"({"paths":[)" + paths + "]}";
    const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    std::vector<HttpClient> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(server.connect());
      clients.back().send(server.request("/api/1/plan/review", "POST", length) + body);
    }
    if (round % 2 == 0) server.shut_down(std::chrono::milliseconds(1));
    server.destroy();
    for (HttpClient& client : clients) {
      const int status = client.reply().status;
      EXPECT_TRUE(status == 0 || status == 200 || status == 503) << status;
    }
  }
}

TEST(Server, ShutsDownWithListenersAndIdleConnections) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  await_complete(server);
  Events listener(server);
  listener.next();
  HttpClient idle = server.connect();
  HttpClient used = server.connect();
  used.send(server.request("/api/1/status"));
  EXPECT_EQ(used.reply().status, 200);
  std::thread reader([&] {
    while (listener.next()) {
    }
    EXPECT_TRUE(idle.at_end());
    EXPECT_TRUE(used.at_end());
    listener.client().close();
    idle.close();
    used.close();
  });
  server.shut_down(std::chrono::seconds(60));
  reader.join();
  EXPECT_THROW(static_cast<void>(server.connect()), base::SystemError);
}

TEST(Server, ShutsDownDuringAScan) {
  TempTree tree;
  tree.deep_chain("", 50);
  HeldScan held(3);
  RunningServer server(options_for(tree.path(), &held));
  held.await();
  server.shut_down(std::chrono::seconds(0));
  std::thread later([&] { held.release(); });
  server.destroy();
  later.join();
}

// ---- Its address and socket

TEST(Server, SetsACookieThatAuthorizesFurtherRequests) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  HttpClient client = server.connect();
  const std::string target = server.address().substr(server.address().find("/?"));
  client.send("GET " + target + " HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n");
  const HttpReply page = client.reply();
  EXPECT_EQ(page.status, Server::has_page() ? 200 : 503);
  const std::string cookie = "fathom-" + std::to_string(server.port()) + '=' + server.token();
  EXPECT_EQ(page.header("set-cookie"), cookie + "; Path=/; HttpOnly; SameSite=Strict");
  client.send("GET /api/1/status HTTP/1.1\r\nHost: " + server.host() + "\r\nCookie: " + cookie +
              "\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Server, IsReachedByItsAddressHoweverThatIsSpelled) {
  const base::Fd socket(::socket(AF_INET6, SOCK_STREAM, 0));
  if (socket.get() < 0) GTEST_SKIP() << "this system has no IPv6";
  TempTree tree;
  ServerOptions options = options_for(tree.path());
  options.address = "::FFFF:127.0.0.1";
  const RunningServer server(options);
  EXPECT_TRUE(server.address().starts_with("http://" + server.host() + '/')) << server.address();
  for (const char* const host : {"127.0.0.1", "[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"}) {
    HttpClient client = server.connect();
    client.send(std::string("GET /api/1/status HTTP/1.1\r\nHost: ") + host +
                "\r\nAuthorization: Bearer " + server.token() + "\r\n\r\n");
    EXPECT_EQ(client.reply().status, 200) << host;
  }
}

TEST(Server, KnowsLoopbackAddressesHoweverTheyAreSpelled) {
  for (const char* const address : {"127.0.0.1", "127.1.2.3", "::1", "0:0::1", "::ffff:7f00:1"}) {
    EXPECT_TRUE(Server::is_loopback(address)) << address;
  }
  for (const char* const address : {"0.0.0.0", "192.0.2.127", "::", "::2", "::ffff:192.0.2.1"}) {
    EXPECT_FALSE(Server::is_loopback(address)) << address;
  }
}

TEST(Server, RefusesAPortInUse) {
  TempTree tree;
  RunningServer server(options_for(tree.path()));
  rt::Reactor loop;
  ServerOptions options = options_for(tree.path());
  options.port = server.port();
  EXPECT_THROW(Server(loop, options), base::Error);
  options.port = 0;
  options.address = "no address";
  EXPECT_THROW(Server(loop, options), base::Error);
}

TEST(Server, ListensOnAUnixSocket) {
  TempTree tree;
  TempTree place;
  ServerOptions options = options_for(tree.path());
  options.unix_socket = place.path("socket");
  RunningServer server(options);
  EXPECT_TRUE(server.address().starts_with("http://localhost/?token=")) << server.address();
  EXPECT_EQ(server.port(), 0);
  HttpClient client(place.path("socket"));
  client.send("GET /api/1/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              server.token() + "\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
  client.send("GET /api/1/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.reply().status, 401);
  server.destroy();
  EXPECT_NE(::access(place.path("socket").c_str(), F_OK), 0);
}

TEST(Server, DoesNotReplaceASocketInUse) {
  TempTree tree;
  TempTree place;
  ServerOptions options = options_for(tree.path());
  options.unix_socket = place.path("socket");
  RunningServer server(options);
  rt::Reactor loop;
  EXPECT_THROW(Server(loop, options), base::Error);
  HttpClient client(place.path("socket"));  // the first server still listens
  place.socket("dead");
  options.unix_socket = place.path("dead");
  EXPECT_NO_THROW(Server(loop, options));
  place.write("file", "content");
  options.unix_socket = place.path("file");
  EXPECT_THROW(Server(loop, options), base::Error);
  EXPECT_EQ(::access(place.path("file").c_str(), F_OK), 0);
  options.unix_socket = place.path(std::string(200, 'x'));
  EXPECT_THROW(Server(loop, options), base::Error);
}

}  // namespace
}  // namespace fathom::web
