import type { ConversationList } from "../contract.js";
import { SourceError, type DataSource } from "./data-source.js";
import { paths } from "./paths.js";

/** What an exported page carries: the answers to what it asks for, by their paths. */
interface ExportedAnswers {
  readonly generatedAt?: string;
  readonly leftOut?: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** What an exported page shows. */
export interface EmbeddedSource extends DataSource {
  /** The conversation to open at once; null where there are several. */
  readonly conversation: string | null;
}

/** The answers inside an exported page; null where the page is not one. */
export function readEmbeddedSource(): EmbeddedSource | null {
  const text = document.getElementById("inspector-data")?.textContent;
  if (text === undefined || text === null) return null;
  const exported = JSON.parse(text) as ExportedAnswers;
  const answers = new Map(Object.entries(exported.answers));
  const missing = (): SourceError =>
    new SourceError({
      code: "not-exported",
      status: 404,
      message: "This is not part of the export: open the conversation itself with `palimpsest inspect`.",
    });
  const { conversations } = answers.get(paths.list) as ConversationList;
  return {
    conversation: conversations.length === 1 ? (conversations[0]?.id ?? null) : null,
    isServer: false,
    generatedAt: exported.generatedAt ?? null,
    leftOut: exported.leftOut ?? null,
    get: (path) => (answers.has(path) ? Promise.resolve(answers.get(path)) : Promise.reject(missing())),
    send: () => Promise.reject(missing()),
    download: () => Promise.reject(missing()),
    follow: () => {},
  };
}
