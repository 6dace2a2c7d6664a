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

export const demoPartsRun = {
  name: "demo-parts",
  about: "without each part alone, the demo loses what that part keeps",
  passes: 1,
  async pass({ step, isOver, signal }) {
    for (const { part, lost, isAll } of parts) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [main, "demo", "--json", "--without", part],
        { signal },
      ).catch((error) => error);
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
