import { open } from "node:fs/promises";
import { detectFormat } from "../../replay/readers/detect-format.js";
import { LineParser } from "../../replay/readers/line-parser.js";
import type { RecordedLine } from "../../replay/readers/recording.js";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { titleOf } from "../index/conversation-index.js";
import { indexMessage } from "../index/indexed-message.js";
import { recordingAgent } from "./recording-agent.js";

export interface RecordingHead {
  readonly title: string;
  /** Empty where it cannot be told. */
  readonly agent: string;
}

const HEAD_BYTES = 256 * 1024;

/** What the first lines of a file tell of its conversation. Never throws: what cannot be told is empty. */
export async function readHead(path: string): Promise<RecordingHead> {
  try {
    const lines = await firstLines(path);
    const reader = detectFormat({ lines, damaged: [], torn: undefined });
    const reading = reader.begin();
    if (reader.needsSurvey) for (const line of lines) reading.survey(line);
    const builder = reading.build();
    const messages = [...lines.flatMap((line) => builder.take(line)), ...builder.end()];
    const estimator = createDefaultEstimator({ model: "" });
    const place = { offset: 0, bytes: 0, sub: 0 };
    const title = titleOf(messages.map((message) => indexMessage(message, place, estimator)));
    return { title, agent: recordingAgent(path, { format: reader.format, lines }) };
  } catch {
    return { title: "", agent: "" };
  }
}

async function firstLines(path: string): Promise<readonly RecordedLine[]> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const parser = new LineParser();
    const lines = parser.push(buffer.subarray(0, bytesRead));
    return bytesRead < HEAD_BYTES ? [...lines, ...parser.end()] : lines;
  } finally {
    await file.close();
  }
}
