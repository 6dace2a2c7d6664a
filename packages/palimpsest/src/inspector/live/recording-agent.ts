import { basename } from "node:path";
import { decodeEntry } from "@palimpsest/core/engine";
import type { RecordedLine, RecordingFormat } from "../../replay/readers/recording.js";

const FORMAT_AGENTS: ReadonlyMap<string, string> = new Map([
  ["codex-rollout", "codex"],
  ["gemini-cli", "gemini"],
]);

/** Files of the gateway's recorder. */
const GATEWAY_FILE = /^gateway-.*\.jsonl$/;

/** With which the lines of our messages begin, in all versions; Claude Code's have others among them. */
const OWN_BEGINNING = "type,uuid,parentUuid,timestamp,sessionId";
/** What Claude Code says beside every message, and we never do. */
const FOREIGN_FIELDS = ["version", "userType", "cwd"];

/** With which agent a conversation was held, by its first lines. Our transcripts have Claude Code's format. */
export function recordingAgent(
  path: string,
  { format, lines }: { readonly format: RecordingFormat; readonly lines: readonly RecordedLine[] },
): string {
  if (format !== "claude-code") return FORMAT_AGENTS.get(format) ?? format;
  const messages = lines.filter(({ value }) => decodeEntry(value).kind === "message");
  const isOwn =
    messages.length > 0 &&
    messages.every(
      ({ value }) =>
        Object.keys(value).slice(0, 5).join() === OWN_BEGINNING &&
        !FOREIGN_FIELDS.some((name) => name in value),
    );
  if (!isOwn) return format;
  return GATEWAY_FILE.test(basename(path)) ? "gateway" : "palimpsest";
}
