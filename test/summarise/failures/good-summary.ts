import type { Answer } from "../../../packages/palimpsest/src/simulator/index.js";
import { createWorker, type HostOptions } from "../host.js";
import { saying, summariesBy } from "./summaries-seen.js";

/** A host whose model answers requests for a summary with this text. */
export const answering = (text: string): HostOptions => ({
  player: summariesBy(createWorker({}), ...Array<Answer>(9).fill(saying(text))),
});

/** What the person of the host asks for. */
export const REQUEST =
  "Please read all files of the project and fix what is broken. Never touch /work/secret.ts.";

/** A summary in good order, but for what is changed. */
export function summary(change: Readonly<Record<number, string | undefined>> = {}): string {
  const bodies = [
    "- The person wants all files read and mended.",
    "- TypeScript",
    "- /work/file-1.ts: was read.",
    "- None so far.",
    "- Nothing is solved yet.",
    `- ${REQUEST}`,
    "- Read the other files.",
    "- Reading /work/file-13.ts.",
    "- Read on.",
  ];
  const titles = [
    "Primary request and intent",
    "Key technical concepts",
    "Files and code sections",
    "Errors and fixes",
    "Problem solving",
    "All user messages",
    "Pending tasks",
    "Current work",
    "Optional next step",
  ];
  const sections = bodies.flatMap((body, index) => {
    const number = index + 1;
    const text = number in change ? change[number] : body;
    return text === undefined ? [] : [`${number}. ${titles[index] ?? ""}:\n${text}`];
  });
  return `<analysis>\nFirst this, then that.\n</analysis>\n\n<summary>\n${sections.join("\n\n")}\n</summary>`;
}
