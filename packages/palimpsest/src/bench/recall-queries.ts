import type { ToolInput } from "../agent/base/tool.js";

interface Query {
  readonly input: ToolInput;
  /** Left out where there is nothing to find. */
  readonly finds?: string;
}

/** What is looked for in the transcript of `writeLongTranscript`, by the name of its figures. */
export const recallQueries: Readonly<Record<RecallQuery, Query>> = {
  "at-the-start": { input: { query: "zirkonium port" }, finds: "4711" },
  "in-the-middle": { input: { query: '"Molybdän-Ofen"' }, finds: "4712" },
  "with-common-words": { input: { query: "the error zirkonium" }, finds: "4711" },
  absent: { input: { query: "praseodymium" } },
  "absent-short": { input: { query: "xqz" } },
  "absent-cyrillic": { input: { query: "протактиний" } },
  "in-every-message": { input: { query: "function" }, finds: "function" },
  "by-id": { input: { tool_use_id: "toolu_needle_start" }, finds: "4711" },
};

export type RecallQuery =
  | "at-the-start"
  | "in-the-middle"
  | "with-common-words"
  | "absent"
  | "absent-short"
  | "absent-cyrillic"
  | "in-every-message"
  | "by-id";
