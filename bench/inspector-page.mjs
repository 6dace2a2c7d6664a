/**
 * Whether the inspector's page ever stands still: the longest task in it while a recording of 40,000 messages is scrolled, zoomed and
 * searched, as the browser's own trace tells.
 *   node bench/inspector-page.mjs [--messages 40000] [--megabytes 200]
 * Needs a build and Chromium (PALIMPSEST_CHROMIUM, else /usr/bin/chromium). Exit code 1 where a task took more than 50 ms.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { writeLargeRecording } from "./large-recording.mjs";

const MOST = 50;
const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "40000" },
    megabytes: { type: "string", default: "200" },
  },
});

const folder = await mkdtemp(join(tmpdir(), "inspector-page-"));
const file = join(folder, "large.jsonl");
await writeLargeRecording(file, {
  messages: Number(values.messages),
  bytes: Number(values.megabytes) * 1e6,
  last: "the-last-word",
});
const server = spawn(process.execPath, [command, "inspect", file], {
  env: { ...process.env, PALIMPSEST_HOME: join(folder, "home") },
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({
  executablePath: process.env.PALIMPSEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
try {
  const [line] = await once(server.stdout.setEncoding("utf8"), "data");
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(line.trim().replace(/^inspecting at /, ""));
  await page.locator(".conversation-row").click();
  await page.locator("#timeline-plot canvas").waitFor({ timeout: 120_000 });
  await page.evaluate("new Promise((done) => setTimeout(done, 1500))");

  let worst = 0;
  const step = async (name, act) => {
    await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
    await act();
    await page.evaluate("new Promise((done) => setTimeout(done, 300))");
    const [{ wall, cpu }] = longestTasks(await browser.stopTracing());
    worst = Math.max(worst, wall);
    console.log(`${name}: longest task ${wall.toFixed(0)} ms, of that on the processor ${cpu.toFixed(0)} ms`);
  };

  await step("hovering", async () => {
    for (let x = 100; x < 1_200; x += 20) await page.mouse.move(x, 450);
  });
  await step("zooming", async () => {
    await page.locator("#timeline-plot").focus();
    for (const key of "+++++--+0") {
      await page.keyboard.press(key);
      await page.evaluate("new Promise((done) => setTimeout(done, 120))");
    }
  });
  await page.locator(".tabs a", { hasText: "Requests" }).click();
  await page.locator(".request-row").nth(3).waitFor();
  await step("scrolling the requests", async () => {
    await page.mouse.move(200, 600);
    for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, 2_400);
  });
  await page.evaluate("location.hash += '/5000'");
  await page.locator(".request .block-line").nth(3).waitFor();
  await step("scrolling the blocks of a request", async () => {
    await page.mouse.move(900, 600);
    for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, 1_200);
  });
  await page.keyboard.press("/");
  await page.locator(".search input").waitFor();
  await step("searching", async () => {
    await page.locator(".search input").fill("parser");
    await page.locator(".hit").nth(5).waitFor();
    for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 1_200);
  });
  if (worst > MOST) process.exitCode = 1;
} finally {
  await browser.close();
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

/** The tasks of the page's main thread in a trace, the longest first, in milliseconds. */
function longestTasks(trace) {
  const { traceEvents: events } = JSON.parse(trace.toString("utf8"));
  const mains = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events
    .filter(({ name, ph, pid, tid }) => name.endsWith("RunTask") && ph === "X" && mains.has(`${pid} ${tid}`))
    .map(({ dur, tdur = 0 }) => ({ wall: dur / 1000, cpu: tdur / 1000 }))
    .toSorted((one, other) => other.wall - one.wall);
  if (tasks.length === 0) throw new Error("the trace tells of no task");
  return tasks;
}
