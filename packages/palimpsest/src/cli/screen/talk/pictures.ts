import type { UserBlock } from "@palimpsest/core";
import { imageSize } from "@palimpsest/core/engine";
import { basename, dirname } from "node:path";
import type { PathGuard } from "../../../agent/base/path-guard.js";
import { readPicture } from "../../../files/read-picture.js";
import { isPictureName, pastedPaths } from "../input/pasted-paths.js";
import type { Tone } from "../state/item.js";
import { shownLine } from "../text/shown-text.js";

/** Pictures that a person pastes or drops: words stand for them where they type, and they go along with what is sent. */
export interface Pictures {
  /**
   * What stands in the place of a pasted text, if it names pictures; undefined, at once or later, where it is words. Never rejects.
   * A person who pastes a path wants that file shown, wherever it lies; rules that forbid to read hold all the same.
   */
  readonly take: (text: string) => Promise<string | undefined> | undefined;
  /** What is sent for a text: with the pictures whose words still stand in it. */
  readonly contentOf: (text: string) => string | readonly UserBlock[];
}

export interface PicturesOptions {
  readonly guard: () => Pick<PathGuard, "absolute" | "bounds" | "disk">;
  readonly notice: (text: string, tone?: Tone) => void;
}

/** The newest stay at hand, so that a prompt can be said again. */
const MOST_KEPT = 10;

type Block = Extract<UserBlock, { readonly type: "image" }>;

export function createPictures({ guard, notice }: PicturesOptions): Pictures {
  const kept = new Map<string, Block>();
  let count = 0;

  const attach = async (path: string): Promise<string | undefined> => {
    const { absolute, bounds, disk } = guard();
    const real = await disk.realpath(absolute(path)).catch(() => undefined);
    if (real === undefined) return undefined;
    const isNamed = isPictureName(path);
    const name = shownLine(basename(path)).slice(0, 80);
    const isDenied = (one: string): boolean => bounds.isDenied(one) || bounds.isDenied(absolute(path));
    const read = await readPicture(disk, real, { bounds: { roots: [dirname(real)], isDenied } });
    if (read.kind !== "picture") {
      // A path of something else is words, as ever.
      if (isNamed) notice(`${name} is not attached: ${whyNot(read)}.`, "warn");
      return undefined;
    }
    const { mediaType, data } = read;
    count += 1;
    const words = `[picture ${count}: ${name.replaceAll(/[[\]@]/g, "_")}]`;
    const source = { type: "base64", media_type: mediaType, data } as const;
    kept.set(words, { type: "image", source });
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
    const { width = 0, height = 0 } = imageSize(data) ?? {};
    const kind = mediaType.slice("image/".length).toUpperCase();
    const kilobytes = Math.max(1, Math.round((data.length * 3) / 4 / 1024));
    notice(`picture ${count}: ${name} · ${kind}, ${width} × ${height} pixels, ${kilobytes} KB`);
    return words;
  };

  /** By the first reading all of whose files are there. */
  const takeFirst = async (readings: readonly (readonly string[])[]): Promise<string | undefined> => {
    const { absolute, disk } = guard();
    for (const paths of readings) {
      const entries = await Promise.all(
        paths.map((path) => disk.stat(absolute(path)).catch(() => undefined)),
      );
      if (!entries.every((entry) => entry?.isFile() === true)) continue;
      const words: string[] = [];
      for (const path of paths) words.push((await attach(path)) ?? path);
      return words.every((word, index) => word === paths[index]) ? undefined : `${words.join(" ")} `;
    }
    return undefined;
  };

  return {
    take(text) {
      const readings = pastedPaths(text);
      return readings.length === 0 ? undefined : takeFirst(readings);
    },
    contentOf(text) {
      const named = [...kept]
        .map(([words, block]) => ({ at: text.indexOf(words), block }))
        .filter(({ at }) => at >= 0)
        .toSorted((a, b) => a.at - b.at);
      return named.length === 0 ? text : [{ type: "text", text }, ...named.map(({ block }) => block)];
    },
  };
}

type Unread = Exclude<Awaited<ReturnType<typeof readPicture>>, { readonly kind: "picture" }>;

function whyNot(read: Unread): string {
  if (read.kind === "unfit") return `it ${read.why.replace(/\.$/, "")}`;
  if (read.kind === "binary")
    return "it must be a PNG, JPEG, GIF or WebP picture, and what it holds is something else";
  if (read.kind === "denied") return "it may not be read";
  return "it cannot be read";
}
