"""The tour of .github/TOUR.md: from a crash to a verified report in three calls, as it runs here.

    tour.py SERVER PROGRAM PAGE FOLDER

Replaces the page's tour with this session, and draws the report it ends with as report-light.png and
report-dark.png of the folder.
"""
import json
import pathlib
import sys
import tempfile

import browser
from server import Server

BEGIN, END = "<!-- tour: `make picture` writes it -->\n", "<!-- end of the tour -->\n"
WIDTH, HEIGHT = 900, 1150  # of the picture
SHOWN = 118  # characters of a line


class Tour:
    def __init__(self, server, scratch):
        self.server, self.scratch, self.lines = server, scratch, []

    def call(self, tool, **arguments):
        """Makes a call, and keeps it and its answer as an agent sees them."""
        result = self.server.ask("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise SystemExit(f"{tool}: {text}")
        self.lines.append(f"> {tool}")
        self.lines += [f">   {key}: {shown(value)}" for key, value in arguments.items()]
        self.lines += text.replace("\t", "    ").splitlines() + [""]
        return result["structuredContent"]

    def text(self):
        lines = [line.replace(self.scratch, "/tmp").rstrip() for line in self.lines]
        return "\n".join(cut(line) for line in lines).strip()


def shown(value):
    """An argument, on several lines if it has several parts."""
    parts = value.split("\n\n") if isinstance(value, str) else map(json.dumps, value)
    return "\n>     ".join(parts if isinstance(value, str) else ["", *parts])


def cut(text):
    lines = (line if len(line) <= SHOWN else line[: SHOWN - 3] + "..." for line in text.split("\n"))
    return "\n".join(line.rstrip() for line in lines)


def run(tour, trace):
    """Three calls, each with what the ones before it answered. Returns the report's file."""
    crash = tour.call("rr_crash_report", trace_dir=trace)
    write = tour.call("rr_last_change", expression="account->ledger")
    here, there = crash["moment"], write["moment"]
    report = tour.call(
        "rr_report",
        title="settle() crashes after an account got a long name",
        narrative=f"At {here}, settle() follows the ledger pointer of account 2, which is not a "
        f"pointer but text.\n\nrename_account() wrote it at {there}: strcpy copies a name of 22 "
        "characters into an array of 16, and runs over into the pointer behind it.",
        claims=[
            {"moment": here, "expression": "number", "value": "2", "note": "It is account 2"},
            {
                "moment": here,
                "expression": "account->ledger",
                "value": write["new"],
                "note": "Its ledger is text",
            },
            {
                "moment": there,
                "expression": "account->ledger",
                "value": write["old"],
                "note": "Before the write, it was right",
            },
            {
                "moment": there,
                "expression": "sizeof(account->name)",
                "value": "16",
                "note": "The name has room for 16 bytes",
            },
            {
                "moment": there,
                "expression": "name",
                "value": '"Bartholomew Montgomery"',
                "note": "The new name needs 23",
            },
        ],
    )
    if not report["conclusion"].startswith("5 of 5 "):
        raise SystemExit(f"the tour's claims are to hold: {report}")
    return report["file"]


def draw(file, folder):
    page = browser.Browser(browser.find() or sys.exit("tour: make deps FOR=report"))
    page.resize(WIDTH, HEIGHT)
    for theme in "light", "dark":
        page.show_as(theme)
        page.open(f"file://{file}")
        page.picture(f"{folder}/report-{theme}.png", WIDTH, HEIGHT)
    page.close()


def main():
    path, program, page, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    with tempfile.TemporaryDirectory(prefix="rr-warden-tour.") as scratch:
        server, trace = Server(path), f"{scratch}/overrun"
        server.call("rr_record", command=[program], trace_dir=trace)
        tour = Tour(server, scratch)
        draw(run(tour, trace), folder)
        server.close()
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n```\n{tour.text()}\n```\n\n{END}{after}")


main()
