/** Windows have one grid, so that what was asked for once need not be asked for again, and an export has the same ones. */
export const ROWS_AT_ONCE = 200;
export const CHARACTERS_AT_ONCE = 8_000;
const COLUMNS = 1_200;

const conversation = (id: string): string => `/api/conversations/${encodeURIComponent(id)}`;

export const paths = {
  list: "/api/conversations",
  policies: "/api/policies",
  conversation,
  timeline: (
    id: string,
    window: { readonly range: readonly [number, number] | null; readonly lane: string | null },
  ): string =>
    `${conversation(id)}/timeline?points=${COLUMNS}${window.range === null ? "" : `&from=${window.range[0]}&to=${window.range[1]}`}${window.lane === null ? "" : `&lane=${encodeURIComponent(window.lane)}`}`,
  requests: (id: string, page: number): string =>
    `${conversation(id)}/requests?from=${page * ROWS_AT_ONCE}&count=${ROWS_AT_ONCE}`,
  request: (id: string, number: number, page: number): string =>
    `${conversation(id)}/requests/${number}?from=${page * ROWS_AT_ONCE}&count=${ROWS_AT_ONCE}`,
  place: (id: string, number: number, block: string): string =>
    `${conversation(id)}/requests/${number}/place?block=${encodeURIComponent(block)}`,
  block: (id: string, block: string, window: number): string =>
    `${conversation(id)}/blocks/${encodeURIComponent(block)}?offset=${window * CHARACTERS_AT_ONCE}&count=${CHARACTERS_AT_ONCE}`,
  compaction: (id: string, compaction: string): string =>
    `${conversation(id)}/compactions/${encodeURIComponent(compaction)}`,
  neededLater: (id: string, compaction: string): string =>
    `${conversation(id)}/compactions/${encodeURIComponent(compaction)}/needed-later`,
  clock: (id: string): string => `${conversation(id)}/clock`,
  advice: (id: string): string => `${conversation(id)}/advice`,
  search: (id: string, words: string, cursor: string | null): string =>
    `${conversation(id)}/search?q=${encodeURIComponent(words)}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
  whatIf: (id: string): string => `${conversation(id)}/what-if`,
  job: (job: string): string => `/api/what-if/${encodeURIComponent(job)}`,
  undo: (id: string): string => `${conversation(id)}/undo`,
  exported: (id: string): string => `${conversation(id)}/export`,
} as const;
