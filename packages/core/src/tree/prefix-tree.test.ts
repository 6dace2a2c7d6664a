import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalMessage, type ListedMessage } from "./canonical-message.js";
import { createPrefixTree, sharedDepth, treeWith, type PrefixNode } from "./prefix-tree.js";
import { sha256 } from "./sha-256.js";

const says = (text: string): ListedMessage => ({ role: "user", content: [{ type: "text", text }] });
const list = (...texts: readonly string[]): readonly ListedMessage[] => texts.map(says);

describe("SHA-256", () => {
  const node = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
  it("is the hash that everybody else has", () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 1000]) {
      expect(sha256("a".repeat(length))).toBe(node("a".repeat(length)));
    }
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(node(text));
      }),
    );
    expect(sha256("\ud800a\udfff")).toBe(node("\ud800a\udfff"));
  });
});

describe("what a message is known by", () => {
  const text = { type: "text", text: "hello" };
  const marker = { cache_control: { type: "ephemeral" } };
  const same = (a: unknown, b: unknown): boolean =>
    JSON.stringify(canonicalMessage({ role: "user", content: a })) ===
    JSON.stringify(canonicalMessage({ role: "user", content: b }));

  it("a text is one text block, also as a result", () => {
    expect(same("hello", [text])).toBe(true);
    const result = (content: unknown) => [{ type: "tool_result", tool_use_id: "t", content }];
    expect(same(result("hello"), result([text]))).toBe(true);
    expect(same("hello", [text, text])).toBe(false);
  });

  it("markers do not count where the API defines them", () => {
    expect(same([text], [{ ...text, ...marker }])).toBe(true);
    const result = (content: unknown) => [{ type: "tool_result", tool_use_id: "t", content }];
    expect(same(result([text]), [{ ...result([{ ...text, ...marker }])[0], ...marker }])).toBe(true);
    const document = (content: unknown) => [{ type: "document", source: { type: "content", content } }];
    expect(same(document([text]), document([{ ...text, ...marker }]))).toBe(true);
  });

  it("they count everywhere else", () => {
    const call = (input: object) => [{ type: "tool_use", id: "t", name: "n", input }];
    expect(same(call({}), call(marker))).toBe(false);
    expect(same(call({ content: [text] }), call({ content: [{ ...text, ...marker }] }))).toBe(false);
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    expect(same([thinking], [{ ...thinking, ...marker }])).toBe(false);
    expect(canonicalMessage({ role: "user", content: "a", ...marker })).toHaveProperty("cache_control");
  });

  it("role, order and unknown fields count, and nothing is changed", () => {
    const tree = createPrefixTree({ hash: sha256 });
    const key = (message: ListedMessage): string => tree.place([message]).node.key;
    expect(key(says("a"))).not.toBe(key({ ...says("a"), role: "assistant" }));
    expect(key(says("a"))).not.toBe(key({ ...says("a"), name: "x" } as ListedMessage));
    expect(key({ role: "user", content: [text, { ...text, text: "b" }] })).not.toBe(
      key({ role: "user", content: [{ ...text, text: "b" }, text] }),
    );
    const given = { role: "user", content: [{ ...text, ...marker }] };
    const before = JSON.stringify(given);
    key(given);
    expect(JSON.stringify(given)).toBe(before);
  });
});

describe("the tree", () => {
  it("knows how a list stands to the last one of its lane", () => {
    const tree = createPrefixTree({ hash: sha256 });
    const relation = (...texts: readonly string[]) => {
      const { relation: told, shared } = tree.place(list(...texts), { lane: "main" });
      return [told, shared];
    };
    expect(relation("a", "b")).toEqual(["first", 0]);
    expect(relation("a", "b")).toEqual(["again", 2]);
    expect(relation("a", "b", "c", "d")).toEqual(["grown", 2]);
    expect(relation("a", "b")).toEqual(["back", 2]);
    expect(relation("a", "x", "y")).toEqual(["forked", 1]);
    expect(relation("summary", "y")).toEqual(["anew", 0]);
    tree.endLane("main");
    expect(relation("summary", "y")).toEqual(["first", 0]);
  });

  it("a key means the same list in every tree, and lists of other scopes have other keys", () => {
    const key = (scope: string, ...texts: readonly string[]): string =>
      createPrefixTree({ hash: sha256 }).place(list(...texts), { scope }).node.key;
    expect(key("a", "1", "2")).toBe(key("a", "1", "2"));
    expect(key("a", "1", "2")).not.toBe(key("b", "1", "2"));
    expect(key("a", "1", "2")).not.toBe(key("a", "12"));
  });

  const counted = () => {
    let calls = 0;
    let characters = 0;
    const hash = (text: string): string => {
      calls += 1;
      characters += text.length;
      return sha256(text);
    };
    return { hash, work: () => ({ calls, characters }) };
  };

  it.each([
    ["the same objects", (message: ListedMessage) => message],
    ["copies of them", (message: ListedMessage) => structuredClone(message)],
  ])("hashes what is new, whether a list of three hundred comes with %s", (_name, handed) => {
    const { hash, work } = counted();
    const tree = createPrefixTree({ hash });
    const messages: ListedMessage[] = [];
    for (let turn = 0; turn < 300; turn += 1) {
      messages.push(says(`message ${turn} ${"word ".repeat(50)}`));
      tree.place(messages.map(handed));
    }
    // Two for each message, and one for the scope.
    expect(work().calls).toBe(601);
    expect(work().characters).toBeLessThan(300 * 600);
  });

  it("of conversations that take turns hashes no more than where they part", () => {
    const { hash, work } = counted();
    const tree = createPrefixTree({ hash });
    const talks = Array.from({ length: 20 }, (_, talk) => list("Hello.", `I am ${talk}.`));
    for (let turn = 0; turn < 50; turn += 1) {
      for (const [talk, messages] of talks.entries()) {
        talks[talk] = [...messages.map((message) => structuredClone(message)), says(`${talk} ${turn}`)];
        tree.place(talks[talk] ?? []);
      }
    }
    const added = 20 * 51 + 1;
    // One more for each list: who of the twenty it is.
    expect(work().calls).toBeLessThanOrEqual(2 * added + 20 * 50 + 1);
  });

  it("a small hash that finds the wrong one is not believed", () => {
    const tree = treeWith({ hashText: (text) => String(text.length % 3), isTrusted: false });
    const keys = new Set<string>();
    for (let at = 0; at < 300; at += 1) {
      const { node, known } = tree.place(list("a", `b${at}`));
      expect(known).toBe(at === 0 ? 0 : 1);
      keys.add(node.key);
      expect(tree.place(list("a", `b${at}`)).known).toBe(2);
    }
    expect(keys.size).toBe(300);
  });

  it("forgets what was longest not heard of, and what is held of it stays what it was", () => {
    const tree = createPrefixTree({ hash: sha256, maxCharacters: 2000 });
    const first = tree.place(list("first", "second")).node;
    for (let at = 0; at < 100; at += 1) tree.place(list("other", `message ${at}`));
    expect(tree.characters).toBeLessThanOrEqual(2000);
    const again = tree.place(list("first", "second"));
    expect(again.known).toBe(0);
    expect(again.node.key).toBe(first.key);
    expect(first.parent?.depth).toBe(1);
    expect(tree.place(list("first", "second")).known).toBe(2);
  });

  it("forgets by number too, and tells of each beginning that is gone, longest first", () => {
    const gone: PrefixNode[] = [];
    const tree = createPrefixTree({ hash: sha256, maxMessages: 6, onForgotten: (node) => gone.push(node) });
    const first = tree.place(list("a", "b", "c")).node;
    tree.place(list("a", "x", "y"));
    expect(gone).toEqual([]);
    // Seven messages: the first path gives what the second does not share.
    tree.place(list("other", "message"));
    expect(gone).toEqual([first]);
    tree.place(list("third", "fourth", "fifth"));
    expect(gone.map(({ depth }) => depth)).toEqual([3, 3, 2, 2]);
    expect(tree.place(list("a")).known).toBe(1);
  });

  it("what was just placed stays, also where it is a beginning of what has to go", () => {
    const gone: PrefixNode[] = [];
    const tree = createPrefixTree({ hash: sha256, maxMessages: 1, onForgotten: (node) => gone.push(node) });
    tree.place(list("a", "b", "c", "d"));
    expect(gone).toEqual([]);
    tree.place(list("a", "b"));
    expect(gone.map(({ depth }) => depth)).toEqual([4, 3]);
    expect(tree.place(list("a", "b")).known).toBe(2);
  });

  it("where two paths parted and one is gone, the other is known, and a third is a third", () => {
    const tree = createPrefixTree({ hash: sha256, maxMessages: 4 });
    tree.place(list("a", "b"));
    tree.place(list("a", "c"));
    tree.place(list("a", "c"));
    tree.place(list("x", "y"));
    expect(tree.place(list("a", "c")).known).toBe(2);
    expect(tree.place(list("a", "b")).known).toBe(1);
    expect(tree.place(list("a", "b")).known).toBe(2);
  });

  it("without a lane no last list is remembered", () => {
    const tree = createPrefixTree({ hash: sha256 });
    for (let time = 0; time < 2; time += 1) {
      expect(tree.place(list("a"))).toMatchObject({ relation: "first", last: undefined, shared: 0 });
    }
  });

  it("how many messages two beginnings share is known without looking at what they do", () => {
    const tree = createPrefixTree({ hash: sha256 });
    const node = (...texts: readonly string[]): PrefixNode => tree.place(list(...texts)).node;
    const abc = node("a", "b", "c");
    expect(sharedDepth(abc, node("a", "b", "x", "y"))).toBe(2);
    expect(sharedDepth(node("a"), abc)).toBe(1);
    expect(sharedDepth(abc, abc)).toBe(3);
    expect(sharedDepth(abc, node("x"))).toBe(0);
  });

  it("whatever lists come, equal beginnings have equal nodes, and others have others", () => {
    const message = fc.constantFrom("a", "b", "c");
    const lists = fc.array(fc.array(message, { maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(lists, fc.boolean(), fc.integer({ min: 50, max: 5000 }), (all, isHashed, maxCharacters) => {
        // What is forgotten has the same key again only where the hash is trusted.
        const tree = createPrefixTree(isHashed ? { hash: sha256, maxCharacters } : {});
        const keys = new Map<string, string>();
        for (const texts of all) {
          const { node } = tree.place(list(...texts));
          expect(node.depth).toBe(texts.length);
          for (let at: PrefixNode | undefined = node; at !== undefined; at = at.parent) {
            const beginning = JSON.stringify(texts.slice(0, at.depth));
            expect(keys.get(beginning) ?? at.key).toBe(at.key);
            keys.set(beginning, at.key);
          }
        }
        expect(new Set(keys.values()).size).toBe(keys.size);
        if (isHashed) expect(tree.characters).toBeLessThanOrEqual(Math.max(maxCharacters, 6 * 100));
      }),
    );
  });
});
