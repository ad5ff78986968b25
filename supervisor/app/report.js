"use strict";
/*
 * Shows the page of rr_report in a host with MCP Apps (revision 2026-01-26). The host frames this
 * page, speaks JSON-RPC with it over postMessage, and hands it the tool's result, whose _meta has
 * the page. Text of the recorded program stands in that page: nothing of it is ever run as script,
 * set as markup, or followed. The policy above allows this script and no other, and no request.
 */
(() => {
  const REVISION = "2026-01-26", PAGE = "rr-warden/page";
  const NO_METHOD = -32601;
  const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";

  /* What reports consist of, as supervisor/monitor/report_page.c has it. */
  const TAGS = new Set(("a article br circle code details div figcaption figure footer h1 h2 h3 header "
    + "main p path pre rect section span summary svg table tbody td text th title tr").split(" "));
  const ATTRIBUTES = new Set(("aria-label class cx cy d height id open r role scope text-anchor transform "
    + "viewBox width x y").split(" "));
  const SIZE = /^font-size:\d+px$/, LINK = /^#[a-z0-9-]+$/;

  /* The report's colours, and what a host calls the same. */
  const COLOURS = {"--paper": "--color-background-primary", "--ink": "--color-text-primary",
    "--soft": "--color-text-secondary", "--line": "--color-border-primary",
    "--back": "--color-background-secondary"};
  const FONTS = ["--font-sans", "--font-mono"];

  const root = document.documentElement, own = document.getElementById("own");
  const context = {};
  let asked = 0, sent = "";

  function send(message) {
    /* Where the host is from is not known; nothing that is sent is a secret. */
    window.parent.postMessage({jsonrpc: "2.0", ...message}, "*");
  }

  function notify(method, params) {
    send({method, params});
  }

  /* ---- The page ---- */

  function copyAttribute(element, name, value) {
    if (ATTRIBUTES.has(name) || (name === "href" && LINK.test(value)))
      element.setAttribute(name, value);
    else if (name === "style" && SIZE.test(value))
      element.style.fontSize = value.slice("font-size:".length);
  }

  /* A copy without what no report has. */
  function copyOf(node) {
    if (node.nodeType === Node.TEXT_NODE)
      return document.createTextNode(node.data);
    const known = node.nodeType === Node.ELEMENT_NODE && TAGS.has(node.localName)
      && (node.namespaceURI === HTML || node.namespaceURI === SVG);
    if (!known)
      return null;
    const element = document.createElementNS(node.namespaceURI, node.localName);
    for (const {name, value} of node.attributes)
      copyAttribute(element, name, value);
    element.append(...copiesOf(node));
    return element;
  }

  function copiesOf(node) {
    return [...node.childNodes].map(copyOf).filter(copy => copy !== null);
  }

  function showPage(page, file) {
    /* A document of its own, in which nothing runs and nothing is fetched. */
    const source = new DOMParser().parseFromString(page, "text/html");
    const style = document.createElement("style");
    style.id = "page";
    style.textContent = [...source.querySelectorAll("head > style")].map(s => s.textContent).join("\n");
    document.getElementById("page")?.remove();
    document.head.insertBefore(style, own);
    document.body.replaceChildren(...copiesOf(source.body));
    const footer = document.querySelector("footer");
    if (footer && typeof file === "string") {
      const code = document.createElement("code"), place = document.createElement("p");
      code.textContent = file;
      place.append("The same page is kept in ", code, ".");
      footer.append(place);
    }
    applyContext();
  }

  function showText(text) {
    const state = document.createElement("p");
    state.id = "state";
    state.setAttribute("role", "status");
    state.textContent = text;
    document.body.replaceChildren(state);
  }

  function showResult(result) {
    const page = result?._meta?.[PAGE];
    const texts = (result?.content ?? []).filter(c => c.type === "text").map(c => c.text);

    if (typeof page === "string" && !result.isError)
      showPage(page, result.structuredContent?.file);
    else
      showText(texts.join("\n") || "The call gave no report.");
  }

  /* A report's links lead to its claims. The host's frame may be as high as the page, so the target is
   * brought into view, not only named. */
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a");
    if (!link)
      return;
    event.preventDefault();
    const target = document.getElementById((link.getAttribute("href") ?? "#").slice(1));
    target?.closest("details")?.setAttribute("open", "");
    target?.setAttribute("tabindex", "-1");
    target?.focus({preventScroll: true});
    target?.scrollIntoView({block: "start"});
  });

  /* ---- The host ---- */

  /* The report's style asks the browser whether it is dark; here the host knows. */
  function applyTheme(theme) {
    if (theme !== "light" && theme !== "dark")
      return;
    root.style.colorScheme = theme;
    for (const rule of document.getElementById("page")?.sheet?.cssRules ?? []) {
      if (!(rule instanceof CSSMediaRule))
        continue;
      rule.asked ??= rule.media.mediaText;
      const scheme = /prefers-color-scheme:\s*(light|dark)/.exec(rule.asked)?.[1];
      if (scheme)
        rule.media.mediaText = scheme === theme ? "all" : "not all";
    }
  }

  function setVariable(name, value) {
    if (typeof value === "string")
      root.style.setProperty(name, value);
  }

  function applyContext() {
    const variables = context.styles?.variables ?? {};

    applyTheme(context.theme);
    FONTS.forEach(name => setVariable(name, variables[name]));
    /* Of a host's colours all of one theme fit each other; ours do not fit half of them. */
    if (variables[COLOURS["--paper"]] && variables[COLOURS["--ink"]])
      Object.entries(COLOURS).forEach(([ours, name]) => setVariable(ours, variables[name]));
  }

  function takeContext(changes) {
    Object.assign(context, changes);
    applyContext();
  }

  function tellSize() {
    const size = {width: Math.ceil(window.innerWidth),
      height: Math.ceil(root.getBoundingClientRect().height)};
    const text = JSON.stringify(size);
    if (text !== sent)
      notify("ui/notifications/size-changed", size);
    sent = text;
  }

  function begin(result) {
    takeContext(result?.hostContext);
    notify("ui/notifications/initialized", {});
    new ResizeObserver(tellSize).observe(root);
    tellSize();
  }

  const notices = {
    "ui/notifications/tool-input": ({arguments: given}) =>
      showText(`rr-warden checks ${given?.claims?.length ?? "the"} claims on the recording.`),
    "ui/notifications/tool-result": showResult,
    "ui/notifications/tool-cancelled": ({reason}) =>
      showText(`The call was cancelled${reason ? `: ${reason}` : "."}`),
    "ui/notifications/host-context-changed": takeContext,
  };
  const requests = new Set(["ping", "ui/resource-teardown"]); /* nothing is to be saved */

  function answer({id, method}) {
    if (requests.has(method))
      send({id, result: {}});
    else
      send({id, error: {code: NO_METHOD, message: "Method not found"}});
  }

  window.addEventListener("message", ({source, data}) => {
    if (source !== window.parent || data?.jsonrpc !== "2.0")
      return;
    if (data.method === undefined) {
      if (data.id === asked && data.result)
        begin(data.result);
    } else if (data.id !== undefined) {
      answer(data);
    } else if (Object.hasOwn(notices, data.method)) {
      notices[data.method](data.params ?? {});
    }
  });

  asked = 1;
  send({id: asked, method: "ui/initialize", params: {protocolVersion: REVISION,
    appInfo: {name: "rr-warden-report", title: "rr-warden report", version: "@VERSION@"},
    appCapabilities: {availableDisplayModes: ["inline", "fullscreen"]}}});
})();
