// The search runs in a worker, which browsers refuse to a page that was opened from the disk. There
// a hidden frame stands in for it, under the name by which the theme's worker knows where it is.
"use strict";
if (location.protocol === "file:") {
  const asWorker = () => {
    window.postMessage = (data) => parent.postMessage(data, "*");
    window.importScripts = async (...urls) => {
      for (const url of urls) {
        await new Promise((loaded, failed) => {
          const script = document.createElement("script");
          Object.assign(script, { src: url, onload: loaded, onerror: failed });
          document.body.append(script);
        });
      }
    };
  };

  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      const begin = `<script>(${asWorker})()</` + `script><script src="${url}"></` + "script>";
      this.scope.document.write(`<html><body>${begin}</body></html>`);
      this.scope.document.close();
      this.ready = new Promise((loaded) => this.scope.addEventListener("load", loaded));
      window.addEventListener("message", ({ source, data }) => {
        if (source === this.scope) this.dispatchEvent(new MessageEvent("message", { data }));
      });
    }

    async postMessage(data) {
      await this.ready;
      this.scope.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    }
  };
  window.Worker = window.IFrameWorker;
}
