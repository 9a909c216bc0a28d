// parse_request: a subclass of the parser of Boost.Beast that stores only views.

#include "http/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <functional>

namespace fathom::web {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// Parses only the head, and determines the length of the body.
class Parser final : public http::basic_parser<true> {
 public:
  Parser(std::string_view bytes, Request& request) : bytes_(bytes), request_(request) {
    header_limit(kMaxHead);
    body_limit(kMaxBody);
  }

  Parsed run() {
    if (bytes_.empty()) return {};
    error_code error;
    const std::size_t used = put(boost::asio::const_buffer(bytes_.data(), bytes_.size()), error);
    if (error == http::error::need_more) {
      return bytes_.size() < kMaxHead ? Parsed() : refused(too_large());
    }
    if (error) return refused(error);
    if (used > kMaxHead) return refused(too_large());
    // Keep-alive of HTTP/1.0 is not supported, because clients no longer use it.
    request_.keep_alive = version_ == 11 && keep_alive();
    request_.knows_interim = version_ == 11;
    request_.body_size = static_cast<std::size_t>(content_length().value_or(0));
    return {.state = Parsed::State::complete, .used = used, .body = request_.body_size};
  }

 private:
  static Parsed refused(int status) { return {.state = Parsed::State::refused, .status = status}; }

  Parsed refused(error_code error) const {
    if (status_ != 0) return refused(status_);
    if (error == http::error::header_limit) return refused(too_large());
    return refused(error == http::error::body_limit ? 413 : 400);
  }

  // The status for a head that is too large: 414 if the request line is, or else 431.
  int too_large() const { return bytes_.find('\n') > kMaxTarget ? 414 : 431; }

  static std::string_view view(string_view text) { return {text.data(), text.size()}; }

  void refuse(int status, error_code& error) {
    status_ = status;
    error = http::error::bad_value;
  }

  void on_request_impl(http::verb method, string_view /*name*/, string_view target, int version,
                       error_code& error) override {
    switch (method) {
      case http::verb::get:
        request_.method = Method::get;
        break;
      case http::verb::head:
        request_.method = Method::head;
        break;
      case http::verb::post:
        request_.method = Method::post;
        break;
      default:
        request_.method = Method::other;
    }
    request_.target = view(target);
    version_ = version;
    if (target.size() > kMaxTarget) return refuse(414, error);
    // Rejects absolute targets: this is not a proxy. "*" is the target of OPTIONS.
    if (!target.starts_with('/') && target != "*") refuse(400, error);
  }

  void on_field_impl(http::field name, string_view name_text, string_view value,
                     error_code& error) override {
    switch (name) {
      case http::field::host:
        if (request_.has_host) return refuse(400, error);
        request_.has_host = true;
        return keep(value, request_.host, error);
      case http::field::origin:
        return keep_only(value, request_.origin, error);
      case http::field::authorization:
        return keep_only(value, request_.authorization, error);
      case http::field::accept_encoding:
        return keep_first(value, request_.accept_encoding, error);
      case http::field::accept:
        return keep_first(value, request_.accept, error);
      case http::field::cookie:
        return keep_first(value, request_.cookie, error);
      case http::field::if_none_match:
        return keep_first(value, request_.if_none_match, error);
      case http::field::expect:
        request_.expects_interim = boost::beast::iequals(value, "100-continue");
        return;
      case http::field::transfer_encoding:
        // No request needs a body of unknown length (RFC 9112, 6.3). Ignoring the header would let
        // a body be parsed as the next request.
        return refuse(400, error);
      default:  // newer versions of Boost know this field
        if (boost::beast::iequals(name_text, "Sec-Fetch-Site")) {
          keep_only(value, request_.fetch_site, error);
        }
        return;
    }
  }

  // Rejects values that are folded over several lines: the parser has copied them to its own
  // buffer.
  void keep(string_view value, std::string_view& to, error_code& error) {
    const std::less<const char*> before;
    if (before(value.data(), bytes_.data()) ||
        before(bytes_.data() + bytes_.size(), value.data() + value.size())) {
      if (!value.empty()) return refuse(400, error);
    }
    to = view(value);
  }
  void keep_only(string_view value, std::string_view& to, error_code& error) {
    if (!to.empty()) return refuse(400, error);
    keep(value, to, error);
  }
  void keep_first(string_view value, std::string_view& to, error_code& error) {
    if (to.empty()) keep(value, to, error);
  }

  // The parser never gets a body.
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(string_view /*body*/, error_code& /*error*/) override { return 0; }
  void on_chunk_header_impl(std::uint64_t /*size*/, string_view /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, string_view /*body*/,
                                 error_code& /*error*/) override {
    return 0;
  }
  void on_finish_impl(error_code& /*error*/) override {}
  void on_response_impl(int /*code*/, string_view /*reason*/, int /*version*/,
                        error_code& /*error*/) override {}

  const std::string_view bytes_;
  Request& request_;
  int version_ = 0;
  int status_ = 0;  // set by refuse(); 0: not refused, or refused by Boost.Beast
};

}  // namespace

bool may_tell_more(std::string_view bytes, std::size_t known) {
  if (bytes.size() >= kMaxHead) return true;
  std::size_t end = bytes.find('\n', known);
  if (end == std::string_view::npos) return false;
  if (bytes.find('\n') == end) return true;
  for (; end != std::string_view::npos; end = bytes.find('\n', end + 1)) {
    const std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\n') || line.ends_with("\n\r")) return true;
  }
  return false;
}

Parsed parse_request(std::string_view bytes, Request& request) {
  request = Request();
  return Parser(bytes, request).run();
}

}  // namespace fathom::web
