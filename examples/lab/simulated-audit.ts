// A simulated API in this process, and a model that wants to read forty files of about 3 KB, one after the other.
import {
  createLoadPlayer,
  createSimulator,
  createSimulatorApp,
  withSummaries,
  type RequestRecord,
  type Verdict,
} from "palimpsest/simulator";
import assert from "node:assert/strict";

export const task = "Audit every file. Do not change anything.";
export const system = `You audit repositories with care. ${"Name what is wrong, and where. ".repeat(100)}`;
export const model = "claude-opus-5";

/** For a window that small. */
export const settings = { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 };

/** What a program is given: the API, and its tool. */
export interface Audit {
  readonly fetch: typeof globalThis.fetch;
  readonly read: () => string;
}

interface Figures {
  readonly files: number;
  readonly requests: number;
  readonly refused: number;
  readonly cached: number;
  readonly dollars: number;
}

function createAudit(window: number): Audit & { readonly figures: () => Figures } {
  const requests: RequestRecord[] = [];
  const player = withSummaries(createLoadPlayer({ resultBytes: 0, tool: "Read", turns: 40 }));
  const app = createSimulatorApp({
    simulator: createSimulator({ player, window }),
    window,
    onRequest: (request) => requests.push(request),
  });
  let files = 0;
  return {
    fetch: async (url, init) => app(new Request(url, init)),
    read: () =>
      `// file ${(files += 1)}\n${`export const value${files} = compute(${files * 7919});\n`.repeat(60)}`,
    figures() {
      const verdicts = requests.flatMap(({ verdict }) => verdict ?? []);
      const sum = (of: (verdict: Verdict) => number): number =>
        verdicts.reduce((total, verdict) => total + of(verdict), 0);
      return {
        files,
        requests: requests.length,
        refused: requests.filter(({ status }) => status !== 200).length,
        cached: Math.round(
          (100 * sum(({ cacheRead }) => cacheRead)) / sum(({ promptTokens }) => promptTokens),
        ),
        dollars: sum(({ cost }) => cost),
      };
    },
  };
}

const line = (name: string, { files, requests, cached, dollars }: Figures, more = ""): void =>
  console.log(
    `${name.padEnd(28)} ${files} files, ${requests} requests, ${cached}% from the cache, $${dollars.toFixed(2)}${more}`,
  );

/**
 * Runs the audit without the adapter, without it in a window that is large enough, and with it.
 * `run(audit, isWith)` is the program; it throws what its framework throws.
 */
export async function compare(run: (audit: Audit, isWith: boolean) => Promise<void>): Promise<void> {
  const small = createAudit(settings.window);
  await assert.rejects(run(small, false), /prompt is too long/);
  line("without", small.figures(), ": prompt is too long");

  const large = createAudit(200_000);
  await run(large, false);
  line("without, in a 200K window", large.figures());

  const kept = createAudit(settings.window);
  await run(kept, true);
  line("with", kept.figures());
  assert.equal(kept.figures().files, 40);
  assert.equal(kept.figures().refused, 0);
  assert.ok(kept.figures().cached > 70);
  assert.ok(kept.figures().dollars < large.figures().dollars / 2);
}
