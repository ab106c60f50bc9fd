// Serves dist/ until interrupted. PORT chooses the port.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serve } from "./static.mjs";

const root = fileURLToPath(new URL("../dist", import.meta.url));
const port = Number(process.env.PORT || 8080);

function advise(...lines) {
  console.error(`\n${lines.join("\n")}`);
  process.exit(1);
}

if (!Number.isInteger(port) || port < 0 || port > 65535) advise(`PORT=${process.env.PORT} is not a port.`, "Choose a number from 1024 to 65535: make run PORT=8081");
if (!existsSync(root)) advise("There is no dist/ yet.", "Build it: make build");

// Ctrl-C is how it ends, not an error.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));

try {
  const { url } = await serve(root, port);
  console.log(`\nSame Ruler is at ${url}  (Ctrl-C stops it)`);
} catch (error) {
  if (error.code === "EADDRINUSE") advise(`Port ${port} is taken, perhaps by another Same Ruler.`, `Stop that one, or choose another port: make run PORT=${port + 1}`);
  if (error.code === "EACCES") advise(`Port ${port} needs more rights.`, "Choose one above 1024: make run PORT=8081");
  advise(`The app could not be served: ${error.message}`);
}
