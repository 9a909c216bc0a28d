// JsonText: bytes and decimals.

#include "api/json_text.h"

#include <cmath>

#include "fathom/fs/utf8.h"

namespace fathom::web {

void JsonText::bytes(std::string_view name, std::string_view bytes) {
  if (fs::is_utf8(bytes)) {
    string(name, bytes);
    return;
  }
  string(name, fs::to_utf8(bytes));
  string(std::string(name) + "_b64", fs::to_base64(bytes));
}

void JsonText::decimal(std::string_view name, double value) {
  key(name);
  if (std::isfinite(value)) {
    writer_.Double(value);
  } else {
    writer_.Null();
  }
}

}  // namespace fathom::web
