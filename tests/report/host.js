// A host of MCP Apps in a page: frames a view without rights, answers its handshake, and keeps all that it says.
// The policy is what the specification has for a view that names no domain; it comes first, as hosts put it.
"use strict";
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
  + "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'";

window.host = {
  said: [],

  show(html, context, width) {
    document.body.replaceChildren();
    document.body.style.margin = "0";
    this.said = [];
    this.context = context;
    this.frame = document.createElement("iframe");
    this.frame.sandbox = "allow-scripts";
    this.frame.style.cssText = `border:0;display:block;height:80px;width:${width}px`;
    const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
    this.frame.srcdoc = html.replace("<head>", `<head>${policy}`);
    document.body.append(this.frame);
  },

  send(message) {
    this.frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
  },

  hear(message) {
    this.said.push(message);
    if (message.method === "ui/initialize")
      this.send({id: message.id, result: {protocolVersion: "2026-01-26",
        hostInfo: {name: "check-report", version: "1"}, hostCapabilities: {}, hostContext: this.context}});
    if (message.method === "ui/notifications/size-changed")
      this.frame.style.height = `${message.params.height}px`;
  },

  of(method) {
    return this.said.filter(message => message.method === method).map(message => message.params);
  },
};

window.addEventListener("message", event => {
  if (event.source === window.host.frame?.contentWindow)
    window.host.hear(event.data);
});
