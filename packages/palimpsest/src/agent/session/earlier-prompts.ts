import { isHumanMessage } from "@palimpsest/core";
import { decodeEntry } from "@palimpsest/core/engine";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { projectFolder } from "./session-folder.js";

/** What a person said in another conversation. */
export interface EarlierPrompt {
  readonly text: string;
  /** Milliseconds since the epoch: when that conversation was last said something in. */
  readonly updatedAt: number;
}

const MOST_SESSIONS = 30;
const MOST_PROMPTS = 500;
/** Of each transcript only its end is read: a hundred megabytes are nothing to wait for. */
const TAIL_BYTES = 1 << 20;

/** What was said in the other conversations of a directory, the newest first, each text once. Never rejects. */
export async function earlierPrompts({
  dataDirectory,
  cwd,
  except,
}: {
  readonly dataDirectory: string;
  readonly cwd: string;
  /** The conversation that is under way. */
  readonly except: string | undefined;
}): Promise<readonly EarlierPrompt[]> {
  const folder = projectFolder(dataDirectory, cwd);
  const listed = await createJsonlStore({ directory: folder })
    .list()
    .catch(() => []);
  const newest = listed
    .filter(({ id, bytes }) => bytes > 0 && id !== except)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, MOST_SESSIONS);
  const found = new Map<string, EarlierPrompt>();
  for (const { id, updatedAt } of newest) {
    const lines = (await tailOf(join(folder, `${id}.jsonl`))).split("\n").toReversed();
    for (const line of lines) {
      if (found.size >= MOST_PROMPTS) return [...found.values()];
      const text = promptIn(line);
      if (text !== "" && !found.has(text)) found.set(text, { text, updatedAt });
    }
  }
  return [...found.values()];
}

async function tailOf(path: string): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

/** Empty for all lines but those of a person, and for the half line with which a tail may begin. */
function promptIn(line: string): string {
  if (!line.includes('"user"')) return "";
  try {
    const decoded = decodeEntry(JSON.parse(line));
    if (decoded.kind !== "message" || decoded.message.type !== "user" || !isHumanMessage(decoded.message))
      return "";
    const { content } = decoded.message.message;
    return typeof content === "string"
      ? content
      : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  } catch {
    return "";
  }
}
