"use strict";
// The search of the site runs in a worker, which browsers refuse to pages that are opened as files.
// There, a hidden frame stands in for it: the script runs in the frame, and messages go to and fro.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(script) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      const load = (address) => new Promise((resolve, reject) => {
        const tag = inside.document.createElement("script");
        tag.src = address;
        tag.onload = resolve;
        tag.onerror = reject;
        inside.document.body.append(tag);
      });
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, each) => before.then(() => load(each)), Promise.resolve());
      this.ready = load(new URL(script, location.href).href);
    }

    postMessage(data) {
      this.ready.then(() => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        this.frame.contentWindow.dispatchEvent(event);
      });
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.Worker = FrameWorker;
})();
