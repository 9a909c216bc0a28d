// RequestBody: takes what it knows from rapidjson's events.

#include "api/request_body.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

#include "fathom/fs/utf8.h"

namespace fathom::web {

namespace {

std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace

// The names of the functions are those that rapidjson calls.
// NOLINTBEGIN(readability-identifier-naming)
class RequestBody::Parser : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Parser> {
 public:
  Parser(RequestBody& body, std::initializer_list<std::string_view> known)
      : body_(body), known_(known) {}

  bool Default() { return wrong_type(); }

  bool StartObject() {
    if (at_ == At::start) return go(At::fields);
    if (at_ != At::list) return wrong_type();
    path_.reset();
    path_b64_.reset();
    return go(At::path);
  }

  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const std::string_view key(text, length);
    if (at_ == At::path) {
      member_ = key == "path" ? &path_ : key == "path_b64" ? &path_b64_ : nullptr;
      if (member_ == nullptr || *member_) return fail("a path has only 'path' and 'path_b64'");
      return true;
    }
    name_ = key;
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return fail("unknown field: " + name_);
    }
    return !body_.has(key) || fail("the field " + in_quotes(key) + " occurs twice");
  }

  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    std::string value(text, length);
    switch (at_) {
      case At::fields:
        body_.values_.emplace(name_, std::move(value));
        return true;
      case At::list:
        return add(std::move(value));
      case At::path:
        *member_ = std::move(value);
        return true;
      case At::start:
        break;
    }
    return wrong_type();
  }

  bool Uint(unsigned value) { return Uint64(value); }
  bool Uint64(std::uint64_t value) {
    if (at_ != At::fields) return wrong_type();
    body_.values_.emplace(name_, value);
    return true;
  }

  bool StartArray() {
    if (at_ != At::fields) return wrong_type();
    paths_.clear();
    return go(At::list);
  }
  bool EndArray(rapidjson::SizeType /*count*/) {
    body_.values_.emplace(name_, std::exchange(paths_, {}));
    return go(At::fields);
  }

  bool EndObject(rapidjson::SizeType /*count*/) {
    if (at_ != At::path) return true;
    at_ = At::list;
    if (!path_b64_) return path_ ? add(*std::move(path_)) : fail("a path is empty");
    auto bytes = fs::from_base64(*path_b64_);
    return bytes ? add(*std::move(bytes)) : fail("a 'path_b64' is not base64");
  }

 private:
  enum class At : std::uint8_t { start, fields, list, path };

  bool go(At at) {
    at_ = at;
    return true;
  }
  bool add(std::string path) {
    if (paths_.size() == kMostPaths) {
      return fail("more than " + std::to_string(kMostPaths) + " paths");
    }
    paths_.push_back(std::move(path));
    return true;
  }
  bool wrong_type() {
    return at_ == At::start ? fail("the body is not a JSON object")
                            : fail("the field " + in_quotes(name_) + " has a wrong value");
  }
  bool fail(std::string why) {
    body_.set_error(std::move(why));
    return false;
  }

  RequestBody& body_;
  const std::initializer_list<std::string_view> known_;
  At at_ = At::start;
  std::string name_;  // of the field
  std::vector<std::string> paths_;
  std::optional<std::string> path_;
  std::optional<std::string> path_b64_;
  std::optional<std::string>* member_ = nullptr;
};
// NOLINTEND(readability-identifier-naming)

RequestBody::RequestBody(std::string_view text, std::initializer_list<std::string_view> known) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  // rapidjson takes a zero byte for the end.
  if (text.find('\0') != std::string_view::npos) {
    set_error("the body has a zero byte");
    return;
  }
  Parser parser(*this, known);
  rapidjson::Reader reader;
  rapidjson::MemoryStream stream(text.data(), text.size());
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, parser);
  if (!result.IsError() || error_) return;
  std::string_view why = rapidjson::GetParseError_En(result.Code());
  if (why.ends_with('.')) why.remove_suffix(1);
  set_error("the body is not valid JSON, at byte " + std::to_string(result.Offset()) + ": " +
            std::string(why));
}

template <class Type>
Type RequestBody::take(std::string_view name, std::string_view should_be) {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    set_error("the field " + in_quotes(name) + " is missing");
    return {};
  }
  if (Type* const value = std::get_if<Type>(&found->second)) return std::move(*value);
  set_error("the field " + in_quotes(name) + " is not " + std::string(should_be));
  return {};
}

std::vector<std::string> RequestBody::paths(std::string_view name) {
  return take<std::vector<std::string>>(name, "a list of paths");
}

std::string RequestBody::text(std::string_view name, const std::optional<std::string>& otherwise) {
  if (otherwise && !has(name)) return *otherwise;
  return take<std::string>(name, "a string");
}

std::uint64_t RequestBody::integer(std::string_view name) {
  return take<std::uint64_t>(name, "a whole number");
}

std::string RequestBody::bytes(std::string_view name) {
  const std::string exact = std::string(name) + "_b64";
  if (!has(exact)) return text(name);
  auto bytes = fs::from_base64(text(exact));
  if (!bytes) set_error("the field " + in_quotes(exact) + " is not base64");
  return std::move(bytes).value_or("");
}

void RequestBody::set_error(std::string error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace fathom::web
