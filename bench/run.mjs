/**
 * Every figure of the README: those of `palimpsest bench`, and those that need files of this repository or packages of
 * others. Named figures with units, printed as they become known; `--json` prints one JSON document at the end,
 * `--only PREFIX[,PREFIX]` measures only what begins so.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchmarks, chooseBenchmarks, formatFigure } from "../packages/palimpsest/dist/bench/index.js";
import { adaptersBench } from "./adapters-bench.mjs";
import { coreSizeBench } from "./core-size-bench.mjs";
import { demoBench } from "./demo-bench.mjs";
import { gatewayBench } from "./gateway-bench.mjs";
import { inspectorBench } from "./inspector-bench.mjs";
import { longAuditBench } from "./long-audit.mjs";
import { postgresBench } from "./postgres-bench.mjs";
import { peersBench } from "./replay-bench.mjs";
import { readingBench } from "./replay-memory.mjs";
import { screenBench } from "./screen-bench.mjs";
import { telemetryBench } from "./telemetry-bench.mjs";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const own = [
  coreSizeBench,
  adaptersBench,
  demoBench,
  screenBench,
  gatewayBench,
  readingBench,
  postgresBench,
  telemetryBench,
  inspectorBench,
  peersBench,
  longAuditBench,
];

const { values } = parseArgs({ options: { json: { type: "boolean" }, only: { type: "string" } } });
const prefixes = values.only?.split(",");
const known = [...benchmarks, ...own];
const choice = chooseBenchmarks(known, prefixes);
if (choice.kind === "unknown") {
  const names = known.map(({ name }) => name).join(", ");
  console.error(`no figure's name begins with "${choice.prefix}" (there are ${names})`);
  process.exitCode = 2;
} else {
  const figures = await figuresOfCommand();
  for (const benchmark of own) {
    const wanted = prefixes?.filter((prefix) => chooseBenchmarks([benchmark], [prefix]).kind === "chosen");
    if (wanted?.length === 0) continue;
    for await (const figure of benchmark.run(wanted)) {
      if (wanted !== undefined && !wanted.some((prefix) => figure.name.startsWith(prefix))) continue;
      figures.push(figure);
      if (values.json !== true) console.log(formatFigure(figure));
    }
  }
  if (values.json === true) console.log(JSON.stringify({ figures }, null, 2));
}

/** Runs the command for what it knows; where it prints itself, it gives nothing. */
async function figuresOfCommand() {
  const its = prefixes?.filter((prefix) => chooseBenchmarks(benchmarks, [prefix]).kind === "chosen");
  if (its?.length === 0) return [];
  const flags = [...(its === undefined ? [] : ["--only", its.join(",")]), ...(values.json ? ["--json"] : [])];
  const child = spawn(process.execPath, [command, "bench", ...flags], {
    stdio: ["ignore", values.json ? "pipe" : "inherit", "inherit"],
  });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part) => (text += part));
  const [code] = await once(child, "close");
  if (code !== 0) process.exitCode = 1;
  return text === "" ? [] : JSON.parse(text).figures;
}
