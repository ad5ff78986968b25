"""Looks at a report of rr_report in a real browser: that it asks for nothing, runs nothing, that its
links lead somewhere, and that people can read it on screens of both kinds and on paper.

    check.py SERVER PROGRAM FOLDER      pictures for people to look at are kept in FOLDER
"""
import pathlib
import re
import sys
import tempfile

import browser
import inline
from server import Server

# Quotation marks and brackets have partners, because rr_report refuses what is not one expression.
HOSTILE = (
    "</code></pre></title></style><script>document.hit=1</script>"
    "<img src='http://127.0.0.1:9/x' onerror='document.hit=1'><svg onload='document.hit=1'>"
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>"
    "<a href='javascript:document.hit=1'>x</a>\x1b[2J]\u202e\"'&\""
)

# WCAG's contrast of each text with what is behind it, as the browser computed their colours.
CONTRAST = """(() => {
  const parts = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = parts(c).slice(0, 3).map(v => { v /= 255;
    return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor; if (parts(c)[3] !== 0) return c; }
    return 'rgb(255,255,255)'; };
  let worst = [99, ''];
  for (const e of document.querySelectorAll('main *:not(svg *)')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const a = light(getComputedStyle(e).color), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className];
  }
  return worst; })()"""


def expect(holds, what):
    if not holds:
        raise SystemExit(f"check-report: {what}")
    print(f"ok: {what}")


def claims_of(crash, write, hostile):
    """Claims of each verdict, on both moments."""
    claims = [
        {"moment": crash, "expression": "number", "value": "2", "note": "It is account 2"},
        {"moment": write, "expression": "sizeof(account->name)", "value": "16"},
        {"moment": write, "expression": "name[0]", "value": "'z'", "note": "This is wrong"},
        {"moment": "1000000", "expression": "number", "value": "1"},
    ]
    if hostile:
        claims.append({"moment": write, "expression": "name", "value": HOSTILE, "note": HOSTILE})
        # A string: rr_report refuses an expression with an assignment.
        text = '"' + HOSTILE.replace('"', "'") + '"'
        claims.append({"moment": HOSTILE, "expression": text, "value": HOSTILE})
    return claims


def make_report(server, program, trace, hostile):
    """Records the program, and returns the answer that has a report about its crash."""
    server.call("rr_record", command=[program] + ([HOSTILE] if hostile else []), trace_dir=trace)
    crash = server.call("rr_crash_report", trace_dir=trace)["moment"]
    write = server.call("rr_last_change", expression="account->ledger")["moment"]
    return server.result(
        "rr_report",
        title=HOSTILE if hostile else "settle() crashes on a name that is too long",
        narrative=f"At {write} the name is copied, at {crash} the program crashes.\n\n"
        + (HOSTILE if hostile else "The copy has no bound."),
        claims=claims_of(crash, write, hostile),
    )


def make_long_report(server, trace):
    """Thirty claims at as many moments as a timeline has room for, of which the last does not hold."""
    hits = server.call("rr_trace_calls", location="book", evaluate=["amount"], limit=29)["hits"]
    claims = [
        {"moment": hit["moment"], "expression": "amount", "value": hit["evaluated"]["amount"]}
        for hit in hits
    ]
    crash = server.call("rr_crash_report", trace_dir=trace)["moment"]
    claims.append({"moment": crash, "expression": "number", "value": "1"})
    expect(len(claims) == 30, "there are thirty claims")
    return server.result("rr_report", title="Thirty bookings", claims=claims)


def url_of(report):
    return f"file://{report['structuredContent']['file']}"


# Of each slanted text: its size on the screen, and the room between it and the one before it.
PLACES = """(() => {
  const texts = [...document.querySelectorAll('svg text[transform]')];
  const at = texts.map(t => { const m = t.getScreenCTM();
    return {text: t.textContent, size: parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b),
            x: m.e, tilt: Math.atan2(m.b, m.a)}; });
  return at.map((p, i) => ({...p, room: i ? (p.x - at[i - 1].x) * Math.abs(Math.sin(p.tilt)) : 99})); })()"""

# The first words of what can be seen from the top, and what of a claim is folded.
SEEN = """(() => ({first: document.querySelector('article').id,
  source: document.querySelector('article pre').checkVisibility({contentVisibilityAuto: true}),
  locals: [...document.querySelectorAll('details.locals pre')].filter(e => e.checkVisibility()).length,
  folded: document.querySelectorAll('details.locals').length,
  height: document.documentElement.scrollHeight}))()"""


def check_long(page, url, folder):
    page.resize(1000, 800)
    page.show_as("light")
    page.open(url)
    page.picture(folder / "long.png")
    places = page.value(PLACES)
    expect(len(places) >= 10, f"thirty claims: {len(places)} places on the timeline")
    expect(all(re.match(r"\w+:\d+$", p["text"]) for p in places), "thirty claims: each has a line")
    expect(min(p["size"] for p in places) >= 11, "thirty claims: the places can be read")
    expect(min(p["room"] for p in places) >= 12, "thirty claims: no place covers another")
    seen = page.value(SEEN)
    expect(seen["first"] == "claim-30", "thirty claims: the one that does not hold comes first")
    expect(seen["source"], "thirty claims: it shows its source")
    expect(seen["folded"] and seen["locals"] == 0, "thirty claims: local variables are folded")
    expect(seen["height"] < 8000, f"thirty claims: {seen['height']} pixels")


def check_page(page, url, what):
    page.open(url)
    expect(page.value("document.hit === undefined"), f"{what}: nothing ran")
    asked = [r["request"]["url"] for r in page.happened("Network.requestWillBeSent")]
    expect(asked == [url], f"{what}: it asked for nothing but itself")
    expect(page.value("location.href") == url, f"{what}: it stayed where it was")
    expect(
        page.value("document.querySelectorAll('script,img,iframe,object,link,form,base').length")
        == 0,
        f"{what}: it has no element that runs or fetches",
    )
    words = [e["entry"]["text"] for e in page.happened("Log.entryAdded")]
    expect(not words, f"{what}: the browser has nothing to complain of {words or ''}")
    links = page.value("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    expect(len(links) >= 6, f"{what}: {len(links)} links")
    for number in range(len(links)):
        page.value(f"document.querySelectorAll('a')[{number}].dispatchEvent("
                   "new MouseEvent('click', {bubbles: true, cancelable: true}))")
        hit = page.value("[location.hash, document.querySelector(':target')?.tagName]")
        expect(hit == [links[number], "ARTICLE"], f"{what}: {links[number]} leads to its claim")


def check_looks(page, url, folder):
    page.resize(1000, 800)
    for scheme in ("light", "dark"):
        page.show_as(scheme)
        page.open(url)
        page.picture(folder / f"{scheme}.png")
        ratio, where = page.value(CONTRAST)
        expect(ratio >= 4.5, f"{scheme}: text can be read ({ratio:.1f} at {where})")
    page.resize(380, 800)
    page.picture(folder / "narrow.png")
    expect(
        page.value("document.documentElement.scrollWidth <= innerWidth"),
        "a narrow window needs no scrolling sideways",
    )
    page.show_as("dark", "print")
    ratio, where = page.value(CONTRAST)
    expect(ratio >= 4.5, f"paper: text can be read ({ratio:.1f} at {where})")
    paper = page.pdf()
    (folder / "paper.pdf").write_bytes(paper)
    pages = len(re.findall(rb"/Type\s*/Page\b", paper))
    expect(1 <= pages <= 6, f"paper: {pages} pages")


def main():
    path, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    found = browser.find()
    if not found:
        raise SystemExit("check-report: there is no Chromium: make deps FOR=report")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rr-warden-report.") as scratch:
        server = Server(path, capabilities=inline.CAPABILITIES)
        page = browser.Browser(found)
        plain = make_report(server, program, f"{scratch}/plain", False)
        long = make_long_report(server, f"{scratch}/plain")
        hostile = make_report(server, program, f"{scratch}/hostile", True)
        check_page(page, url_of(plain), "a report")
        check_page(page, url_of(hostile), "a hostile report")
        check_looks(page, url_of(plain), folder)
        check_long(page, url_of(long), folder)
        page.open(url_of(hostile))
        page.picture(folder / "hostile.png")
        inline.check_inline(server, page, (plain, long, hostile), folder, expect, CONTRAST)
        page.close()
        server.close()
    print(f"check-report: all well; pictures are in {folder}")


main()
