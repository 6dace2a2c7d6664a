import type { ContentBlock } from "../messages/content.js";

/** Where a block of ours comes from: the framework's own message, and which of its blocks it is. */
export interface Origin<M> {
  readonly message: M;
  /** Among the parts of that message, as the framework has them. */
  readonly part: number;
  /** How many blocks of ours the message has become. */
  readonly blocks: number;
}

interface Noted extends Origin<unknown> {
  /** The block as it was made: what the engine has changed since is no longer what the framework said. */
  readonly block: object;
}

/** A symbol goes along when the engine copies a block to mark it; hashes and JSON do not see it. */
const ORIGIN = Symbol("origin");

/** The blocks of one message of a framework, each knowing where it comes from. */
export function noteOrigins<B extends ContentBlock>(
  message: object,
  made: readonly { readonly block: B; readonly part: number }[],
): readonly B[] {
  return made.map(({ block, part }) => {
    const noted: Noted = { message, part, blocks: made.length, block };
    return { ...block, [ORIGIN]: noted };
  });
}

/** Where a block comes from; undefined for one that the engine made, or changed otherwise than by a marker. */
export function originOf<M>(block: ContentBlock): Origin<M> | undefined {
  const noted = (block as { readonly [ORIGIN]?: Noted })[ORIGIN];
  if (noted === undefined) return undefined;
  const now = Object.entries(block).filter(([name]) => name !== "cache_control");
  const then = new Map(Object.entries(noted.block));
  const isSame = now.length === then.size && now.every(([name, value]) => then.get(name) === value);
  return isSame ? (noted as Origin<M>) : undefined;
}

/** Blocks that stand together: all of one message of the framework as it was, or some that must be said anew. */
export type BlockGroup<M, B> =
  | { readonly kind: "whole"; readonly message: M; readonly blocks: readonly B[] }
  | { readonly kind: "parts"; readonly blocks: readonly B[] };

/** The content of a request message as messages of the framework, as far as it still is that. */
export function groupByOrigin<M, B extends ContentBlock>(content: readonly B[]): readonly BlockGroup<M, B>[] {
  const groups: BlockGroup<M, B>[] = [];
  let loose: B[] = [];
  const flush = (): void => {
    if (loose.length > 0) groups.push({ kind: "parts", blocks: loose });
    loose = [];
  };
  for (let index = 0; index < content.length;) {
    const origin = originOf<M>(content[index] as B);
    const run = origin === undefined ? [] : content.slice(index, index + origin.blocks);
    const isWhole =
      origin !== undefined &&
      run.length === origin.blocks &&
      run.every((block) => originOf<M>(block)?.message === origin.message);
    if (isWhole) {
      flush();
      groups.push({ kind: "whole", message: origin.message, blocks: run });
      index += run.length;
    } else {
      loose.push(content[index] as B);
      index += 1;
    }
  }
  flush();
  return groups;
}
