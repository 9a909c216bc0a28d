// refusal_page: the texts and the style.

#include "access/refusal_page.h"

namespace fathom::web {

namespace {

// kRefusalStyles has its hash, which a test computes.
constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fbfbfa;--soft:#57606a;--line:#d5dae"
    "0;--box:#eef0f3}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#16181b;--soft:#a5adb8;--l"
    "ine:#363c44;--box:#22262b}}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--paper);c"
    "olor:var(--ink);font:1rem/1.5 system-ui,sans-serif}"
    "main{box-sizing:border-box;max-width:36rem;padding:2rem}"
    "h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}"
    "p{margin:0 0 1rem}"
    "code{padding:.125rem .375rem;border:1px solid var(--line);border-radius:.25rem;backgroun"
    "d:var(--box);font:.875em ui-monospace,monospace;overflow-wrap:anywhere}"
    "footer{color:var(--soft);font-size:.875rem}";

struct Text {
  std::string_view title;
  std::string_view paragraphs;
};

Text text_of(int status) {
  switch (status) {
    case 401:
      return {"This page needs its token",
              "<p>Open the address that <code>fathom serve</code> has printed in its terminal. It "
              "ends with <code>/?token=</code> and 43 characters.</p>"
              "<p>Each start of the server makes a new token, so that the address of an earlier "
              "start, such as a bookmark, does not work. A browser also needs to accept the cookie "
              "of the page.</p>"};
    case 403:
      return {
          "This page does not open from other sites",
          "<p>The request came from a page of another site, which might want to see your files. "
          "If you followed a link, reload this page, or open the address that <code>fathom "
          "serve</code> has printed in its terminal.</p>"};
    case 421:
      return {"This is not an address of the server",
              "<p>The server answers only under its own names, so that other sites cannot pretend "
              "to be this page. Open the address that <code>fathom serve</code> has printed in its "
              "terminal; through a tunnel or a proxy, with <code>localhost</code> in it.</p>"};
    default:
      return {
          "This request was not understood",
          "<p>Open the address that <code>fathom serve</code> has printed in its terminal.</p>"};
  }
}

}  // namespace

std::string refusal_page(int status) {
  const Text text = text_of(status);
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>";
  page += text.title;
  page += " \u00b7 Fathom</title><style>";
  page += kStyle;
  page += "</style></head><body><main><h1>";
  page += text.title;
  page += "</h1>";
  page += text.paragraphs;
  page += "<footer>fathom serve \u00b7 ";
  page += std::to_string(status);
  page += "</footer></main></body></html>\n";
  return page;
}

}  // namespace fathom::web
