import { flushTelemetry } from "./registered-telemetry.js";
import { run } from "./run.js";

let isToldOf = false;

// Whoever reads the output may stop before its end: that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    if (stream === process.stdout && !isToldOf) {
      isToldOf = true;
      process.stderr.write(`palimpsest: the output could not be written: ${error.message}\n`);
    }
    process.exitCode = 1;
  });
}

const exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
});
await flushTelemetry();
process.exitCode = isToldOf ? 1 : exitCode;
