import type { Attachment, ToolResultContent, UserBlock } from "@palimpsest/core";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { quotedPath, shownPath } from "../base/shown-path.js";
import type { Gathered } from "../loop/query.js";
import { runCall } from "../loop/run-call.js";
import type { Session } from "../session/session.js";
import { openSearchPlace } from "../tools/search-directory.js";
import { findMentions, type Mention } from "./find-mentions.js";

/** Characters of all files that one prompt names; about 100,000 tokens. */
const MOST_CHARACTERS = 400_000;
const MOST_ENTRIES = 500;

type Reader = Pick<Session, "agent" | "guard">;

interface Read {
  readonly blocks?: readonly UserBlock[];
  readonly attachment?: Attachment;
  readonly notice?: string;
}

/**
 * The files and folders that a prompt names, as the read tool shows them to the model: under the same rules, hooks and
 * limits, and known to have been read. What is not there stays words; what may not be read does so too, and the person
 * is told. Never rejects.
 */
export async function readMentions(text: string, session: Reader, signal: AbortSignal): Promise<Gathered> {
  const blocks: UserBlock[] = [];
  const attachments: Attachment[] = [];
  const notices: string[] = [];
  let characters = 0;
  for (const [index, mention] of findMentions(text).entries()) {
    if (signal.aborted) break;
    if (characters >= MOST_CHARACTERS) {
      notices.push(`${shownPath(mention.written)} was not read: the files before it are long enough.`);
      continue;
    }
    const read = await readMention(mention, { session, signal, index });
    if (read?.notice !== undefined)
      notices.push(`${shownPath(mention.written)} was not read: ${read.notice}`);
    if (read?.attachment !== undefined) attachments.push(read.attachment);
    blocks.push(...(read?.blocks ?? []));
    characters += JSON.stringify(read?.attachment ?? "").length;
  }
  return { blocks, attachments, notices };
}

interface Reading {
  readonly session: Reader;
  readonly signal: AbortSignal;
  readonly index: number;
}

/** Undefined where nothing of the name is there. */
async function readMention(mention: Mention, reading: Reading): Promise<Read | undefined> {
  const { guard } = reading.session;
  let refusal: string | undefined;
  for (const path of mention.paths) {
    const judged = await guard.resolve(path, "read");
    if (judged.kind === "refused") {
      refusal ??= judged.reason;
      continue;
    }
    const entry = await guard.disk.lstat(judged.real).catch(() => undefined);
    if (entry === undefined) continue;
    return entry.isDirectory() ? listDirectory(path, reading) : readFile(path, mention, reading);
  }
  return refusal === undefined ? undefined : { notice: refusal };
}

async function readFile(path: string, mention: Mention, { session, signal, index }: Reading): Promise<Read> {
  const { agent, guard } = session;
  const { firstLine, lastLine } = mention;
  const part =
    firstLine === undefined || lastLine === undefined
      ? {}
      : { offset: firstLine, limit: lastLine - firstLine + 1 };
  const { result, notices } = await runCall(
    agent,
    { type: "tool_use", id: `mention-${index + 1}`, name: "Read", input: { file_path: path, ...part } },
    signal,
  );
  const { content = "" } = result;
  const text = typeof content === "string" ? content : content.flatMap(textIn).join("\n");
  if (result.is_error === true) return { notice: [text, ...notices].join(" ") };
  const pictures = typeof content === "string" ? [] : content.flatMap(pictureIn);
  if (pictures.length > 0) {
    return { blocks: [{ type: "text", text: `${quotedPath(path)}:` }, ...pictures] };
  }
  const range =
    firstLine === undefined ? {} : { startLine: firstLine, endLine: lastNumber(text) ?? lastLine };
  return { attachment: { type: "file", path: guard.absolute(path), content: text, ...range } };
}

const textIn = (block: ToolResultContent): readonly string[] => (block.type === "text" ? [block.text] : []);

const pictureIn = (block: ToolResultContent): readonly UserBlock[] => (block.type === "image" ? [block] : []);

/** The number of the last line that is shown. */
function lastNumber(text: string): number | undefined {
  const numbers = text.split("\n").flatMap((line) => /^\s*(\d+)\t/.exec(line)?.[1] ?? []);
  const last = numbers.at(-1);
  return last === undefined ? undefined : Number(last);
}

/** Names of what is in a folder, but for what rules hide. */
async function listDirectory(path: string, { session: { agent, guard } }: Reading): Promise<Read> {
  const glob = agent.tools().get("Glob");
  const judged = glob === undefined ? undefined : agent.judge(glob, { pattern: "*", path });
  if (judged?.behavior !== "allow") return { notice: judged?.reason ?? "folders cannot be listed here." };
  const place = await openSearchPlace(guard, path);
  if (place.kind !== "directory") return { notice: "it is not a folder any more." };
  try {
    const entries = await readdir(place.real, { withFileTypes: true });
    const names = entries
      .filter(({ name }) => !guard.bounds.isDenied(join(place.real, name)))
      .map((entry) => shownPath(entry.isDirectory() ? `${entry.name}/` : entry.name))
      .toSorted();
    const hidden = names.length - MOST_ENTRIES;
    const lines = [
      "[a folder; these are in it]",
      ...names.slice(0, MOST_ENTRIES),
      ...(hidden > 0 ? [`[and ${hidden} more]`] : []),
    ];
    return { attachment: { type: "file", path: `${guard.absolute(path)}/`, content: lines.join("\n") } };
  } catch {
    return { notice: "the folder cannot be listed." };
  } finally {
    await place.opened.close();
  }
}
