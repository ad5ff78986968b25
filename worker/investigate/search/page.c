/*
 * See page.h. Must never write text without escaping it.
 */
#include "worker/investigate/search/page.h"

#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"

#define SHOWN_FOR_A_BYTE 4 /* \xHH */

const char page_style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2127;--soft:#5b6670;--line:#d9dee3;"
    "--back:#f5f7f9;--good:#19703c;--bad:#b3261e;--doubt:#8a5a00;--here:#fff3c4;--link:#0b5cad}"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e4e8ec;--soft:#9aa6b2;"
    "--line:#333b44;--back:#1c2228;--good:#5fce8b;--bad:#ff8a80;--doubt:#f0bf5a;"
    "--here:#4a4013;--link:#7db8f5}}"
    "*{box-sizing:border-box}html{scroll-behavior:smooth}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}"
    "main{max-width:58rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:.1rem 0 .8rem;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.6rem 0 .7rem;padding-bottom:.35rem;"
    "border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:0;overflow-wrap:anywhere}"
    "p{margin:.6rem 0;overflow-wrap:anywhere}a{color:var(--link);text-underline-offset:.15em}"
    "code,pre,.mono{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',"
    "monospace;font-size:.86rem}"
    ".kind,.facts,.soft,figcaption,footer{color:var(--soft);font-size:.86rem}.kind{margin:0}"
    ".sum{display:inline-block;margin:.2rem 0 .6rem;padding:.25rem .8rem;border-radius:1rem;"
    "border:1px solid;font-weight:600;font-size:.95rem}"
    ".held .word,.sum.held{color:var(--good)}.not .word,.sum.not{color:var(--bad)}"
    ".open .word{color:var(--doubt)}.word{font-weight:600;white-space:nowrap}"
    "figure{margin:0;overflow-x:auto}svg{display:block;height:auto}"
    "svg.fits{width:100%;min-width:46rem}"
    "svg text{fill:var(--ink);font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "svg .soft{fill:var(--soft)}svg .lane,svg .way{stroke:var(--line);fill:none}"
    "svg .time{stroke:var(--soft);stroke-width:3;stroke-linecap:round}"
    "svg .dot{stroke-width:2}svg .held .dot{fill:var(--good);stroke:var(--good)}"
    "svg .not .dot{fill:var(--bad);stroke:var(--bad)}"
    "svg .open .dot{fill:var(--paper);stroke:var(--doubt);stroke-dasharray:3 2}"
    "svg a text{fill:var(--paper);font-weight:700;text-anchor:middle}"
    "svg .open text{fill:var(--doubt)}"
    "article{border:1px solid var(--line);border-left:4px solid var(--soft);border-radius:6px;"
    "padding:.9rem 1.1rem;margin:1rem 0;break-inside:avoid;scroll-margin-top:1rem}"
    "article.held{border-left-color:var(--good)}article.not{border-left-color:var(--bad)}"
    "article.open{border-left-color:var(--doubt)}article:target{outline:2px solid var(--link)}"
    ".top{display:flex;gap:1rem;justify-content:space-between;align-items:baseline}"
    "table{border-collapse:collapse;margin:.6rem 0}"
    "th{text-align:left;font-weight:400;color:var(--soft);padding:.1rem 1.2rem .1rem 0;"
    "vertical-align:top;font-size:.86rem;white-space:nowrap}"
    "td{padding:.1rem 0}td code{white-space:pre-wrap;overflow-wrap:anywhere}"
    "pre{margin:.6rem 0 0;padding:.6rem .8rem;background:var(--back);border-radius:4px;"
    "overflow-x:auto;line-height:1.45}pre .here{display:inline-block;min-width:100%;"
    "background:var(--here);font-weight:600}"
    ".label{margin:.8rem 0 -.3rem;color:var(--soft);font-size:.8rem}"
    ".instead{font-weight:600}details{margin:.6rem 0}"
    "summary{cursor:pointer;color:var(--soft);font-size:.86rem}"
    "article pre{white-space:pre-wrap;overflow-wrap:anywhere}"
    "footer{margin-top:2.6rem;padding-top:.8rem;border-top:1px solid var(--line)}"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--back:#f6f6f6;"
    "--good:#19703c;--bad:#b3261e;--doubt:#8a5a00;--here:#eee;--link:#000}"
    "body{font-size:11pt}main{max-width:none;padding:0}h2{break-after:avoid}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}svg.fits,svg.wide{width:100%;min-width:0}"
    /* Nothing can be unfolded on paper. */
    "details::details-content{content-visibility:visible}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

static const char *escape_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void page_bytes(FILE *page, const char *bytes, size_t length)
{
	cleanup_free char *shown = malloc(length * SHOWN_FOR_A_BYTE + 1);

	if (!shown)
		return;
	scrub_bytes(shown, length * SHOWN_FOR_A_BYTE + 1, bytes, length);
	for (const char *at = shown; *at; at++) {
		const char *escape = escape_of(*at);
		if (escape)
			fputs(escape, page);
		else
			fputc(*at, page);
	}
}

void page_text(FILE *page, const char *text)
{
	if (text)
		page_bytes(page, text, strlen(text));
}
