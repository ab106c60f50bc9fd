// Runs before the Wasm is there: a dropped file must never replace the page, and none may be lost.
//
// window.__sameruler_queue holds what came in so far, `File`s and (for folders) `FileSystemDirectoryEntry`s.
// The app takes it over by draining the array and setting the property to null; from then on this script
// only keeps the browser from opening a dropped file.
"use strict";

window.__sameruler_queue = [];

function say(text) {
  const status = document.getElementById("skeleton-status");
  if (status) status.textContent = text;
}

function queue(items) {
  const waiting = window.__sameruler_queue;
  if (!waiting) return;
  waiting.push(...items);
  const n = waiting.length;
  if (n > 0) say(n === 1 ? "1 item is waiting for the page to start." : `${n} items are waiting for the page to start.`);
}

// Entries must be asked for inside the event; afterwards the list is empty.
function dropped(transfer) {
  return [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => {
      const entry = item.webkitGetAsEntry?.();
      return entry?.isDirectory ? entry : item.getAsFile();
    })
    .filter(Boolean);
}

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

window.addEventListener("dragover", (event) => {
  if (carriesFiles(event)) event.preventDefault();
});

window.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  queue(dropped(event.dataTransfer));
});

document.addEventListener("change", (event) => {
  if (event.target?.id === "skeleton-files") queue(event.target.files);
});

// Trunk's start script says this after `main` has returned, which is when the app has mounted beside the skeleton.
window.addEventListener("TrunkApplicationStarted", () => {
  performance.mark("sameruler-interactive");
  document.documentElement.dataset.app = "ready";
  if (document.body.children.length > 1) document.getElementById("skeleton")?.remove();
});

// A page that cannot start says so instead of waiting for ever.
function failed(reason) {
  if (document.documentElement.dataset.app === "ready") return;
  document.documentElement.dataset.app = "failed";
  say(`The page could not start (${reason}). Reload it; if that does not help, use a current browser.`);
}
window.addEventListener("error", (event) => failed(event.message || "a file did not load"), true);
window.addEventListener("unhandledrejection", (event) => failed(String(event.reason?.message ?? event.reason)));
