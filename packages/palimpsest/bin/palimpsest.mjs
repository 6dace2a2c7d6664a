#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

// What V8 makes of the code is kept beside it, from Node 22 on: later starts take it from there. Where nothing can be written
// there, every start compiles, as before.
module.enableCompileCache?.(fileURLToPath(new URL("../dist/.compile-cache", import.meta.url)));
await import("../dist/bundled/main.js");
