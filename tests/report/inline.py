"""Shows the app of rr_report in a real browser, in a host of MCP Apps that the test plays: that it speaks the
host's protocol, shows what the report's file shows, in the host's colours and size, and that nothing in it runs.
check.py calls this."""
import json
import pathlib
import socket
import time

WAIT_S = 60
TYPE = "text/html;profile=mcp-app"
PAGE = "rr-warden/page"
APP = "ui://rr-warden/report"
CAPABILITIES = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [TYPE]}}}
HERE = pathlib.Path(__file__).parent

# What a page that no server of ours sends could try: each would set document.hit, fetch or leave. PORT is one where
# somebody listens.
ATTACKS = (
    "<script>document.hit=1</script><style>@import 'http://127.0.0.1:PORT/s';p{background:url(http://127.0.0.1:PORT/b)}"
    "</style><body onload='document.hit=1'><main><header><h1>attack</h1></header>"
    "<img src='http://127.0.0.1:PORT/x' onerror='document.hit=1'><svg onload='document.hit=1'><script>document.hit=1"
    "</script><image href='http://127.0.0.1:PORT/i'/><a href='javascript:document.hit=1'><text>t</text></a></svg>"
    "<p onclick='document.hit=1' style='background:url(http://127.0.0.1:PORT/p)'>text</p>"
    "<a id='out' href='http://127.0.0.1:PORT/a' ping='http://127.0.0.1:PORT/ping'>out</a>"
    "<a id='run' href='javascript:document.hit=1'>run</a><details ontoggle='document.hit=1' open><summary>s</summary>"
    "</details><iframe src='http://127.0.0.1:PORT/f' srcdoc='<script>parent.document.hit=1</script>'></iframe>"
    "<form action='http://127.0.0.1:PORT/'><input autofocus onfocus='document.hit=1'><button>b</button></form>"
    "<link rel='prefetch' href='http://127.0.0.1:PORT/l'><link rel='dns-prefetch' href='//127.0.0.1:PORT'>"
    "<base href='http://127.0.0.1:PORT/'><object data='http://127.0.0.1:PORT/o'></object>"
    "<meta http-equiv='refresh' content='0;url=http://127.0.0.1:PORT/'><math><mtext></mtext></math>"
    "<template><script>document.hit=1</script></template></main></body>"
)

# The elements of a report in their order, with what tells them apart, and its text.
OUTLINE = """(() => { const main = document.querySelector('main').cloneNode(true);
  main.querySelector('footer > p:nth-of-type(2)')?.remove();
  return [[...main.querySelectorAll('*')].map(e => [e.namespaceURI, e.localName,
    ...[...e.attributes].map(a => a.name + '=' + a.value.trim().replace(/;$/, '').replace(': ', ':')).sort()].join(' ')),
    main.textContent]; })()"""

COLOURS = """(() => { const s = getComputedStyle(document.body);
  return [s.backgroundColor, s.color, s.colorScheme]; })()"""
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 24, 28)"


class Inline:
    """A app in its host; `expect` is check.py's, `contrast` its expression."""

    def __init__(self, page, expect, contrast):
        self.page, self.expect, self.contrast = page, expect, contrast

    def wait(self, holds, what):
        end = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > end:
                raise SystemExit(f"check-report: {what}: it did not happen")
            time.sleep(0.05)

    def host(self, expression):
        return self.page.value(f"host.{expression}")

    def send(self, **message):
        self.host(f"send({json.dumps(message)})")

    def app(self, expression):
        return self.page.value_in_frame(expression)

    def show(self, html, theme=None, width=900, context=None):
        """Frames the app and waits for its handshake."""
        context = dict(context or {}, containerDimensions={"width": width, "maxHeight": 20000})
        if theme:
            context["theme"] = theme
        self.page.open("about:blank")
        self.page.value((HERE / "host.js").read_text())
        self.host(f"show({json.dumps(html)}, {json.dumps(context)}, {width})")
        self.wait(lambda: self.host("of('ui/notifications/initialized').length"), "the handshake")
        asked = self.host("of('ui/initialize')[0]")
        self.expect(asked["protocolVersion"] == "2026-01-26", "the app asks for its revision")
        self.expect(asked["appInfo"]["name"] and asked["appInfo"]["version"], "it says what it is")

    def give(self, result):
        self.send(method="ui/notifications/tool-input", params={"arguments": {"claims": [{}, {}]}})
        self.wait(lambda: "2 claims" in self.app("document.body.innerText"), "the call is told")
        self.send(method="ui/notifications/tool-result", params=result)

    def report(self, result):
        self.give(result)
        self.wait(lambda: self.app("!!document.querySelector('main')"), "the report")

    def height(self):
        return self.host("of('ui/notifications/size-changed').at(-1).height")

    def has_its_size(self):
        return self.height() == self.app("Math.ceil(document.documentElement.getBoundingClientRect().height)")


def read_view(server):
    tools = {t["name"]: t for t in server.ask("tools/list", {})["tools"]}
    assert tools["rr_report"]["_meta"]["ui"]["resourceUri"] == APP
    content = server.ask("resources/read", {"uri": APP})["contents"][0]
    assert content["mimeType"] == TYPE and content["_meta"]["ui"]["csp"] == {}
    return content["text"]


def check_same(inline, html, result, what):
    """The app shows what the file shows."""
    inline.page.resize(1000, 800)
    inline.page.open(f"file://{result['structuredContent']['file']}")
    elements, text = inline.page.value(OUTLINE)
    inline.show(html)
    inline.report(result)
    shown, said = inline.app(OUTLINE)
    inline.expect(said == text, f"{what} inline: its text is the file's")
    inline.expect(shown == elements, f"{what} inline: its {len(elements)} elements are the file's")
    kept = inline.app("document.querySelector('footer').innerText")
    inline.expect(result["structuredContent"]["file"] in kept, f"{what} inline: it names the file")
    expect_quiet(inline, what)


def expect_quiet(inline, what):
    hit = inline.app("document.hit === undefined") and inline.page.value("document.hit === undefined")
    inline.expect(hit, f"{what} inline: nothing ran")
    # The browser also tells of requests that a policy stopped before they were made.
    stopped = {r["requestId"] for r in inline.page.happened("Network.loadingFailed") if r.get("blockedReason") == "csp"}
    asked = [r["request"]["url"] for r in inline.page.happened("Network.requestWillBeSent")
             if r["requestId"] not in stopped]
    asked = [url for url in asked if not url.startswith(("about:", "data:"))]
    inline.expect(not asked, f"{what} inline: it asked for nothing {asked or ''}")
    inline.expect(inline.app("location.href") == "about:srcdoc", f"{what} inline: it stayed where it was")


def check_attacks(inline, html):
    """The app by itself, with a page that the server would not have sent."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0)
    inline.show(html)
    inline.report({"content": [], "_meta": {PAGE: ATTACKS.replace("PORT", str(listener.getsockname()[1]))}})
    for name in ("out", "run"):
        inline.app(f"document.getElementById('{name}')?.click()")
    inline.app("document.querySelector('p')?.click()")
    time.sleep(1)
    expect_quiet(inline, "an attack")
    try:
        inline.expect(not listener.accept(), "an attack inline: it called nobody")
    except BlockingIOError:
        listener.close()
    inline.expect(inline.app("document.querySelector('h1').innerText") == "attack", "an attack inline: the rest is shown")
    left = inline.app("document.body.querySelectorAll('script,img,image,iframe,object,link,form,input,base,meta,math,"
                       "template,[style],[onclick],[ontoggle],[ping]').length")
    inline.expect(left == 0, "an attack inline: it has no element that runs or fetches")
    inline.send(method="ui/notifications/tool-result", params={"content": [], "_meta": {
        PAGE: "<script>document.hit=1</script>"}})
    expect_quiet(inline, "a script")


def check_theme(inline, html, result, folder):
    """The host's colours, whatever the browser has; also when they change."""
    for theme, browser, paper in (("dark", "light", DARK), ("light", "dark", LIGHT)):
        inline.page.show_as(browser)
        inline.show(html, theme)
        inline.report(result)
        colours = inline.app(COLOURS)
        inline.expect(colours[0] == paper and colours[2] == theme, f"{theme} inline, in a {browser} browser {colours}")
        ratio, where = inline.app(inline.contrast)
        inline.expect(ratio >= 4.5, f"{theme} inline: text can be read ({ratio:.1f} at {where})")
        inline.wait(inline.has_its_size, "the size")
        inline.page.picture(folder / f"inline-{theme}.png")
        other, theirs = ("light", LIGHT) if theme == "dark" else ("dark", DARK)
        inline.send(method="ui/notifications/host-context-changed", params={"theme": other})
        inline.wait(lambda theirs=theirs: inline.app(COLOURS)[0] == theirs, f"{theme} inline: a change to {other}")
    styles = {"variables": {"--color-background-primary": "light-dark(#fdf6e3, #002b36)",
                            "--color-text-primary": "light-dark(#073642, #eee8d5)", "--font-mono": "monospace"}}
    inline.show(html, "dark", context={"styles": styles})
    inline.report(result)
    inline.expect(inline.app(COLOURS)[:2] == ["rgb(0, 43, 54)", "rgb(238, 232, 213)"], "inline: the host's own colours")
    inline.expect(inline.app("getComputedStyle(document.querySelector('pre')).fontFamily") == "monospace",
                  "inline: the host's font")
    inline.page.show_as("light")


def check_size(inline, html, result, folder):
    inline.show(html, "light", 360)
    inline.report(result)
    inline.wait(inline.has_its_size, "the size")
    inline.expect(inline.height() > 500, f"inline: the host is told a height of {inline.height()}")
    inline.expect(inline.app("document.documentElement.scrollHeight <= innerHeight"), "inline: nothing scrolls inside")
    inline.expect(inline.app("document.documentElement.scrollWidth <= innerWidth"),
                  "inline: a narrow host needs no scrolling sideways")
    inline.page.picture(folder / "inline-narrow.png")
    before = inline.height()
    inline.app("document.querySelector('details.locals summary').click()")
    inline.wait(lambda: inline.height() > before, "a higher app")
    inline.app("document.querySelector('details.locals summary').click()")
    inline.wait(lambda: inline.height() == before, "a lower app")


def check_links(inline, html, result):
    inline.show(html, "light", 800)
    inline.report(result)
    count = inline.app("document.querySelectorAll('a').length")
    for number in range(count):
        inline.app(f"document.querySelectorAll('a')[{number}].dispatchEvent("
                    "new MouseEvent('click', {bubbles: true, cancelable: true}))")
        name = inline.app(f"document.querySelectorAll('a')[{number}].getAttribute('href').slice(1)")
        hit = inline.app("[document.activeElement.id, document.activeElement.tagName]")
        inline.expect(hit == [name, "ARTICLE"], f"inline: #{name} leads to its claim")
    inline.expect(count >= 6, f"inline: {count} links")


def check_other_answers(inline, html):
    inline.show(html)
    inline.give({"content": [{"type": "text", "text": "limit: <b>too large</b>\nTry: less"}], "isError": True})
    inline.wait(lambda: inline.app("document.body.innerText").startswith("limit: <b>too large</b>\nTry"), "a failure")
    inline.send(method="ui/notifications/tool-cancelled", params={"reason": "<i>user</i>"})
    inline.wait(lambda: "cancelled: <i>user</i>" in inline.app("document.body.innerText"), "a cancel")
    inline.give({"content": [{"type": "text", "text": "2 of 2 claims held"}]})
    inline.wait(lambda: "2 of 2 claims held" in inline.app("document.body.innerText"), "an answer without a page")
    inline.expect(inline.app("document.querySelectorAll('b,i').length") == 0, "inline: texts are no markup")
    inline.send(id=7, method="ui/resource-teardown", params={})
    inline.send(id=8, method="ui/nothing", params={})
    inline.wait(lambda: inline.host("said.filter(m => m.id >= 7).length") == 2, "answers")
    answers = inline.host("said.filter(m => m.id >= 7)")
    inline.expect(answers[0].get("result") == {}, "inline: it may be taken away")
    inline.expect(answers[1]["error"]["code"] == -32601, "inline: it refuses what it does not know")


def check_inline(server, page, results, folder, expect, contrast):
    """`results` are whole answers of rr_report: a plain, a long and a hostile one."""
    html = read_view(server)
    inline = Inline(page, expect, contrast)
    for what, result in zip(("a report", "a long report", "a hostile report"), results):
        check_same(inline, html, result, what)
    check_attacks(inline, html)
    check_theme(inline, html, results[0], folder)
    check_size(inline, html, results[0], folder)
    check_links(inline, html, results[0])
    check_other_answers(inline, html)
