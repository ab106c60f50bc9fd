// A static file server for the built app, as a real host should be set up: strict headers, right types.
import { createServer } from "node:http";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

// The page states its own policy; only the header can say who may frame it.
function policy(root) {
  const page = readFileSync(join(root, "index.html"), "utf8");
  const own = page.match(/http-equiv="Content-Security-Policy" content="([^"]+)"/)?.[1];
  if (!own) throw new Error("index.html states no content security policy");
  return `${own}; frame-ancestors 'none'`;
}

/** The file a request path stands for, or null when there is none inside the root. */
function find(root, url) {
  let path;
  try {
    path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
  } catch {
    return null;
  }
  const file = join(root, path.endsWith(sep) ? join(path, "index.html") : path);
  if (!file.startsWith(root)) return null;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file, size: stat.size } : null;
}

/** Serves `root` on 127.0.0.1; port 0 takes a free one. Resolves to `{ url, close }`, rejects when the port is taken. */
export function serve(root, port = 0) {
  const server = createServer((request, response) => {
    const found = find(root, request.url);
    const headers = {
      "Content-Security-Policy": policy(root),
      "Cross-Origin-Opener-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-cache",
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { ...headers, Allow: "GET, HEAD" }).end();
    } else if (!found) {
      response.writeHead(404, { ...headers, "Content-Type": "text/plain" }).end("not found\n");
    } else {
      const type = TYPES[extname(found.file)] ?? "application/octet-stream";
      response.writeHead(200, { ...headers, "Content-Type": type, "Content-Length": found.size });
      if (request.method === "HEAD") response.end();
      else createReadStream(found.file).pipe(response);
    }
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      resolve({
        url: `http://127.0.0.1:${server.address().port}/`,
        close: () => new Promise((done) => {
          server.close(done);
          server.closeAllConnections();
        }),
      });
    });
  });
}
