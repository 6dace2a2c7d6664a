import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folders of a package from the bottom up; a file imports from its own folder and from lower rows only. */
const packages = {
  core: [["models"], ["messages"], ["tree"], ["protocols", "engine"], ["adapters"], ["testing"]],
  palimpsest: [
    // What pages are made of, in a browser and before they get there.
    ["web", "pages"],
    ["simulator"],
    ["files", "providers", "recording", "shell", "stores", "telemetry"],
    ["agent", "replay"],
    ["gateway"],
    ["inspector"],
    ["bench"],
    ["soak"],
    ["cli"],
    ["testing"],
  ],
} as const;

/** Folders with walls of their own. Their own files may import everything in them; nothing in them imports those. */
const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "core/src/engine": [
    ["settings", "ports"],
    ["events"],
    ["tools", "money", "boundaries"],
    ["measure"],
    ["clear", "media", "oversize"],
    ["prompt"],
    ["watch"],
    ["restore"],
    ["summarise"],
    ["notes"],
    ["conversation"],
  ],
  "core/src/engine/summarise": [
    ["shape"],
    ["run"],
    ["people"],
    ["divide"],
    ["record"],
    ["write"],
    ["verify"],
    ["accept"],
    ["undo"],
  ],
  "palimpsest/src/agent": [
    ["base"],
    ["shell"],
    ["hooks"],
    ["memory-files", "permissions", "recall", "skills"],
    ["mcp", "settings", "tools"],
    ["subagents"],
    ["loop", "trust"],
    ["session"],
    ["commands"],
  ],
  "palimpsest/src/inspector": [
    ["index", "web"],
    ["advice"],
    ["jobs", "export"],
    ["api"],
    ["live"],
    ["testing"],
  ],
  "palimpsest/src/gateway": [["receipt"], ["watch"], ["http"], ["launch"], ["testing"]],
  "palimpsest/src/replay": [
    ["readers"],
    ["rounds", "world"],
    ["requests"],
    ["measures"],
    ["forgetting", "policies", "summaries"],
    ["results"],
    ["play", "report"],
    ["testing"],
  ],
};

/** Files of rooms that their folders import: words that all of them speak. They import nothing themselves. */
const vocabularies: ReadonlySet<string> = new Set(["palimpsest/src/inspector/contract.js"]);

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => join(directory, name));

const sourceFiles = (directory: string): string[] =>
  filesIn(directory).filter((name) => !name.endsWith(".test.ts"));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );

/** Every import that breaks the layers, as `file -> import`. */
function violations(name: keyof typeof packages): string[] {
  const source = join(root, "packages", name, "src");
  const rank = (folder: string): number =>
    packages[name].findIndex((row) => (row as readonly string[]).includes(folder));
  return sourceFiles(source).flatMap((file) => {
    const folder = relative(source, file).split(sep)[0] ?? "";
    return importsOf(file)
      .filter((imported) => {
        if (!imported.startsWith(".")) return name === "core";
        const target = relative(source, resolve(dirname(file), imported)).split(sep)[0] ?? "";
        const isEntry = !relative(source, file).includes(sep);
        return !isEntry && target !== folder && !(rank(target) >= 0 && rank(target) < rank(folder));
      })
      .map((imported) => `${relative(root, file)} -> ${imported}`);
  });
}

/** Every import inside a room that breaks its walls, those of types included. */
function breaches(room: string): string[] {
  const source = join(root, "packages", room);
  const rank = (folder: string): number => (rooms[room] ?? []).findIndex((row) => row.includes(folder));
  return sourceFiles(source).flatMap((file) => {
    const [folder = "", ...inside] = relative(source, file).split(sep);
    if (inside.length === 0) return [];
    return importsOf(file)
      .filter((imported) => {
        const target = relative(source, resolve(dirname(file), imported)).split(sep)[0] ?? "";
        const isInside = imported.startsWith(".") && target !== "..";
        if (vocabularies.has(`${room}/${target}`)) return false;
        return isInside && target !== folder && !(rank(target) >= 0 && rank(target) < rank(folder));
      })
      .map((imported) => `${relative(root, file)} -> ${imported}`);
  });
}

/** The files and folders of each folder that import from each other in a circle, types included. */
function circlesBelow(top: string): string[] {
  const files = sourceFiles(top).map((file) => ({
    file,
    targets: importsOf(file).flatMap((imported) =>
      imported.startsWith(".") ? [resolve(dirname(file), imported)] : [],
    ),
  }));
  const folders = new Set(files.flatMap(({ file }) => parentsUpTo(top, file)));
  return [...folders].toSorted().flatMap((folder) => {
    const edges = new Map<string, Set<string>>();
    for (const { file, targets } of files) {
      const [from = "", ...inside] = relative(folder, file).split(sep);
      if (from === "..") continue;
      const own = inside.length === 0 ? from.replace(/\.tsx?$/, ".js") : from;
      const reached = edges.get(own) ?? new Set<string>();
      edges.set(own, reached);
      for (const target of targets) {
        const [to = ""] = relative(folder, target).split(sep);
        if (to !== ".." && to !== own) reached.add(to);
      }
    }
    const circles = new Set([...edges.keys()].map((name) => circleOf(name, edges)));
    circles.delete("");
    return [...circles].map((circle) => `${relative(top, folder).replaceAll(sep, "/")}: ${circle}`);
  });
}

function parentsUpTo(top: string, file: string): string[] {
  const folder = dirname(file);
  return folder === top ? [top] : [folder, ...parentsUpTo(top, folder)];
}

/** What a name leads to that leads back to it; empty where nothing does. */
function circleOf(name: string, edges: ReadonlyMap<string, ReadonlySet<string>>): string {
  const reached = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const left = [...(edges.get(start) ?? [])];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      left.push(...(edges.get(next) ?? []));
    }
    return seen;
  };
  return [...reached(name)]
    .filter((other) => reached(other).has(name))
    .toSorted()
    .join(", ");
}

/** What a file loads, and what that loads: imports of types alone are gone once it is built. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, "utf8").replaceAll(/(?:import|export) type \{[^}]*\} from "[^"]+";/g, "");
  for (const [, imported] of source.matchAll(/\bfrom\s+"(\.[^"]+)\.js"/g)) {
    loadedBy(resolve(dirname(file), `${imported}.ts`), seen);
  }
  return seen;
}

describe("layers", () => {
  it("core: the main entry loads no stage that is handed in, no codec and no judge", () => {
    const source = join(root, "packages/core/src");
    const loaded = [...loadedBy(join(source, "index.ts"))].map((file) => relative(source, file));
    const apart =
      /^(?:engine\/(?:summarise|restore|notes)|protocols|messages\/validity|tree|adapters|testing)\//;
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter((file) => apart.test(file.replaceAll(sep, "/")))).toEqual([]);
  });

  it("core: the judge shares no code with what prepares the requests it judges", () => {
    const source = join(root, "packages/core/src");
    const judge = loadedBy(join(source, "messages/validity/find-problems.ts"));
    const normaliser = loadedBy(join(source, "messages/normalise/normaliser.ts"));
    const shared = [...judge].filter((file) => normaliser.has(file)).map((file) => relative(source, file));
    expect(judge.size).toBeGreaterThan(20);
    expect(shared).toEqual([]);
  });

  it("palimpsest: the judge of forgetting shares no code with the engine, nor with what plays the engine's host", () => {
    const source = join(root, "packages/palimpsest/src");
    const judges = sourceFiles(join(source, "replay/forgetting"));
    const loaded = [...new Set(judges.flatMap((file) => [...loadedBy(file)]))];
    expect(judges.length).toBeGreaterThan(8);
    const folders = new Set(loaded.map((file) => relative(source, dirname(file)).replaceAll(sep, "/")));
    expect(folders).toEqual(new Set(["replay/forgetting", "replay/measures", "replay/readers"]));
    // Types alone are gone once it is built.
    const fromOutside = loaded.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*from "([^."][^"]*)";/gm)].map(
        ([, imported]) => `${relative(source, file)} -> ${imported}`,
      ),
    );
    expect(fromOutside).toEqual([]);
  });

  it("palimpsest: what finds cache breaks shares no code with the engine, nor with the core of the simulator", () => {
    const source = join(root, "packages/palimpsest/src");
    const finder = [...loadedBy(join(source, "simulator/breaks/break-finder.ts"))];
    expect(finder.length).toBeGreaterThan(4);
    expect(finder.map((file) => relative(source, dirname(file)).replaceAll(sep, "/"))).not.toContain(
      "simulator/core",
    );
    const outside = finder.flatMap((file) =>
      importsOf(file).filter((imported) => !imported.startsWith(".") && !imported.startsWith("node:")),
    );
    expect(outside).toEqual([]);
  });

  for (const [room, rows] of Object.entries(rooms)) {
    it(`${room}: nothing imports upwards, nor from beside, not even a type`, () => {
      expect(breaches(room)).toEqual([]);
    });

    it(`${room}: every folder has its place, and every place its folder`, () => {
      const source = join(root, "packages", room);
      const folders = sourceFiles(source)
        .map((file) => relative(source, file).split(sep))
        .flatMap(([folder = "", ...inside]) => (inside.length === 0 ? [] : [folder]));
      expect([...new Set(folders)].toSorted()).toEqual(rows.flat().toSorted());
    });
  }

  it("palimpsest: what runs in a browser imports nothing else that runs, but for itself and what its pages share", () => {
    const source = join(root, "packages/palimpsest/src");
    const pages = ["web", "inspector/web", "replay/report/page"];
    const found = pages.flatMap((folder) =>
      sourceFiles(join(source, folder)).flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*from "(\.[^"]*)";/gm)]
          .map(([, imported = ""]) => relative(source, resolve(dirname(file), imported)).replaceAll(sep, "/"))
          .filter((target) => !target.startsWith("web/") && !target.startsWith(`${folder}/`))
          .map((target) => `${relative(source, file)} -> ${target}`),
      ),
    );
    expect(found).toEqual([]);
  });

  it("the words that folders of a room share import nothing", () => {
    const files = [...vocabularies].map((file) => join(root, "packages", file.replace(/\.js$/, ".ts")));
    expect(files.flatMap(importsOf)).toEqual([]);
  });

  it("no package imports from outside the packages, its tests included", () => {
    const all = join(root, "packages");
    const files = Object.keys(packages).flatMap((name) => filesIn(join(all, name, "src")));
    const outside = files.flatMap((file) =>
      importsOf(file)
        .filter(
          (imported) => imported.startsWith(".") && !resolve(dirname(file), imported).startsWith(all + sep),
        )
        .map((imported) => `${relative(root, file)} -> ${imported}`),
    );
    expect(files.length).toBeGreaterThan(1000);
    expect(outside).toEqual([]);
  });

  it("palimpsest: the tokenizer's package, a fifth of a second of every start, is what the table is made from, and loaded by nothing", () => {
    const source = join(root, "packages/palimpsest/src");
    const naming = sourceFiles(source).filter((file) => readFileSync(file, "utf8").includes("gpt-tokenizer"));
    expect(naming).toEqual([]);
  });

  for (const name of Object.keys(packages) as (keyof typeof packages)[]) {
    it(`${name}: nothing imports upwards${name === "core" ? ", and nothing from outside" : ""}`, () => {
      expect(violations(name)).toEqual([]);
    });

    it(`${name}: nothing imports in a circle, not even a type`, () => {
      expect(circlesBelow(join(root, "packages", name, "src"))).toEqual([]);
    });

    it(`${name}: every folder has its place`, () => {
      const folders = readdirSync(join(root, "packages", name, "src"), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name);
      expect(folders.filter((folder) => !packages[name].flat().includes(folder as never))).toEqual([]);
    });
  }
});
