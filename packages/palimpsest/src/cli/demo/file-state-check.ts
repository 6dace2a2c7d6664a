import type { RequestMessage } from "@palimpsest/core";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { requestTexts } from "../../replay/measures/shown-texts.js";
import { plural } from "../terminal.js";
import type { Check } from "./check.js";
import { restoredFiles } from "./seen-in-prompt.js";

/** Whether files that come back after compactions are what the disk holds, in the very requests that carry them. */
export interface FileStateCheck {
  readonly noteCompaction: () => void;
  /** To be told before the calls of the response change anything. */
  readonly noteRequest: (messages: readonly RequestMessage[]) => Promise<void>;
  readonly judge: () => Check;
}

export function createFileStateCheck(work: string): FileStateCheck {
  let isDue = false;
  let compactions = 0;
  let withoutFiles = 0;
  let equal = 0;
  const stale: string[] = [];
  return {
    noteCompaction() {
      isDue = true;
      compactions += 1;
    },
    async noteRequest(messages) {
      if (!isDue) return;
      isDue = false;
      const files = messages.flatMap(requestTexts).flatMap(restoredFiles);
      if (files.length === 0) withoutFiles += 1;
      for (const { path, text, isWhole } of files) {
        const disk = await readFile(path, "utf8").catch(() => undefined);
        if (disk !== undefined && isSame(text, disk, isWhole)) equal += 1;
        else stale.push(relative(work, path));
      }
    },
    judge: () => ({
      name: "file state",
      holds: compactions > 0 && withoutFiles === 0 && stale.length === 0,
      detail:
        withoutFiles > 0
          ? `no file came back after ${withoutFiles} of ${plural(compactions, "compaction")}`
          : stale.length > 0
            ? `${stale[0] ?? ""} came back with another text than the disk's`
            : `${plural(equal, "file")} came back, each as the disk held it`,
    }),
  };
}

const NUMBERED = /^\s*(\d+)\t(.*)$/;

/** Every numbered line is that of the disk, and none is missing of a file that is said to be whole. */
function isSame(shown: string, disk: string, isWhole: boolean): boolean {
  const lines = disk.replace(/\n$/, "").split("\n");
  const numbered = shown.split("\n").flatMap((line) => {
    const [, number, text] = NUMBERED.exec(line) ?? [];
    return number === undefined ? [] : [{ number: Number(number), text }];
  });
  if (numbered.length === 0 || (isWhole && numbered.length !== lines.length)) return false;
  return numbered.every(({ number, text }) => lines[number - 1] === text);
}
