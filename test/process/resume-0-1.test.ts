import { createHash } from "node:crypto";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { projectFolder } from "../../packages/palimpsest/src/agent/session/session-folder.js";
import { agentArguments, linesOf, runCommand } from "./agent-command.js";
import { createStage } from "./hostile-stage.js";

const transcripts = fileURLToPath(new URL("../data/transcripts-0.1/", import.meta.url));
const stage = createStage("resume-0-1");

/** SHA-256 of the messages that the command sends next. */
const pinned: readonly (readonly [name: string, hash: string])[] = [
  ["clearings-and-compaction", "e5754f75155e2bf820405e6b01c6c95d60498a878af443fbc57b81fff2197376"],
  ["notes-and-undone-compaction", "2e4b9db92ae8a74a3ec239bfc5c39d10ceeafce4129af9bf0c1f11f1ccd7dc17"],
  ["media-cut-and-late-answer", "7d794e7e322318792d402286ebdef47a569b57c7934a9990e9c971c1c1784618"],
];

it.each(pinned)("the command goes on with %s of version 0.1 in the same bytes", async (id, hash) => {
  const { at, api } = await stage([[{ text: "I go on." }]]);
  const folder = projectFolder(at.data, at.work);
  await mkdir(folder, { recursive: true });
  await copyFile(join(transcripts, `${id}.jsonl`), join(folder, `${id}.jsonl`));
  const args = [...agentArguments({ url: api.url }), "--resume", id, "-p", "Go on."];
  // The clock is the machine's: nothing is cleared because a long time has passed.
  const { code, stdout } = await runCommand(at, args, { PALIMPSEST_CLEAR_IDLE_MINUTES: "1000000000" });
  expect(code).toBe(0);
  expect(linesOf(stdout).at(-1)).toMatchObject({ subtype: "success", result: "I go on." });
  expect(api.bodies).toHaveLength(1);
  const { messages } = JSON.parse(api.bodies[0] ?? "") as { readonly messages: readonly unknown[] };
  expect(createHash("sha256").update(JSON.stringify(messages)).digest("hex")).toBe(hash);
});
