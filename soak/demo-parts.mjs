import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const main = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** What is lost without each part of the demo, and no more where all of it is known. */
const parts = [
  { part: "restoration", lost: ["the plan", "file state", "the skill"], isAll: false },
  { part: "verification", lost: ["the instruction", "the person's words"], isAll: true },
  { part: "work-record", lost: ["names in use"], isAll: true },
];

/** What a person reads where three parts are switched off at once. */
const read = [
  /^ {2}✗ file state {2,}no file came back after/m,
  /^ {2}✗ the plan/m,
  /^ {2}✗ the skill/m,
  /^ {2}✗ the instruction/m,
  /^ {2}✗ the person's words/m,
  /^ {2}✗ names in use/m,
  /^Lost: the instruction, the person's words, the plan, /m,
];

export const demoPartsRun = {
  name: "demo-parts",
  about: "without each part alone, the demo loses what that part keeps, and without all of them it says so",
  passes: 1,
  async pass({ step, isOver, signal }) {
    const demo = (...args) =>
      promisify(execFile)(process.execPath, [main, "demo", ...args], { signal }).catch((error) => error);
    const all = await demo("--without", parts.map(({ part }) => part).join());
    const missing = read.filter((line) => !line.test(all.stdout));
    if (all.code !== 1 || missing.length > 0)
      throw new Error(`without all of them it ended with ${all.code}, and did not say ${missing.join(", ")}`);
    await step({ reports: 1 });
    if (isOver()) return;
    for (const { part, lost, isAll } of parts) {
      const { stdout } = await demo("--json", "--without", part);
      const { checks } = JSON.parse(stdout);
      const missed = checks.filter(({ holds }) => !holds).map(({ name }) => name);
      const isRight =
        lost.every((name) => missed.includes(name)) && (!isAll || missed.length === lost.length);
      if (!isRight) throw new Error(`without ${part} was lost: ${missed.join(", ") || "nothing"}`);
      await step({ parts: 1, checks: checks.length });
      if (isOver()) return;
    }
  },
};
