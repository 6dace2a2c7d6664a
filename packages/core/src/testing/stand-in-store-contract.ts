import type { StandInStore } from "../tree/stand-in-store.js";
import { check, checkSame } from "./check.js";

export type CreateStandInStore = () => StandInStore | Promise<StandInStore>;

export interface StandInStoreCase {
  readonly name: string;
  /** Rejects with an `Error` that says what the store did wrong. */
  run(createStore: CreateStandInStore): Promise<void>;
}

const hostileKeys = [
  "",
  ".",
  "..",
  "../../outside",
  "/etc/passwd",
  "C:\\outside",
  "a/b",
  "a\u0000b",
  "con",
  "Case",
  "case",
  "ä".repeat(200),
  "a".repeat(5000),
  "__proto__",
  "%2e%2e",
];

/** What every `StandInStore` must do, as data: hand each case to the test runner you use. */
export const standInStoreContract: readonly StandInStoreCase[] = [
  {
    name: "finds nothing where nothing is kept",
    async run(createStore) {
      const store = await createStore();
      check((await store.find([])) === undefined, "it finds something under no key at all");
      check((await store.find(["a", "b"])) === undefined, "it finds something in an empty store");
    },
  },
  {
    name: "finds the first of the keys that something is kept under",
    async run(createStore) {
      const store = await createStore();
      await store.insert("short", "1");
      await store.insert("long", "2");
      checkSame(
        await store.find(["none", "long", "short"]),
        { key: "long", values: ["2"] },
        "the longer one",
      );
      checkSame(await store.find(["short", "long"]), { key: "short", values: ["1"] }, "the one named first");
    },
  },
  {
    name: "keeps the first value, and tells everybody else of it",
    async run(createStore) {
      const store = await createStore();
      checkSame(await store.insert("a", "first"), "first", "the first insert");
      checkSame(await store.insert("a", "second"), "first", "the second insert");
      checkSame(await store.find(["a"]), { key: "a", values: ["first"] }, "what is kept");
    },
  },
  {
    name: "of many that insert at once one wins, and all are told of it",
    async run(createStore) {
      const store = await createStore();
      const given = Array.from({ length: 20 }, (_, index) => `value ${index}`);
      const told = await Promise.all(given.map((value) => store.insert("a", value)));
      check(new Set(told).size === 1, `they were told of ${new Set(told).size} different values`);
      check(given.includes(told[0] ?? ""), "the value is nobody's");
      checkSame(await store.find(["a"]), { key: "a", values: [told[0]] }, "what is kept");
    },
  },
  {
    name: "gives what a value goes on from with it, oldest first; several may go on from one",
    async run(createStore) {
      const store = await createStore();
      await store.insert("a", "1");
      await store.insert("b", "2", "a");
      await store.insert("c", "3", "b");
      await store.insert("fork", "4", "a");
      checkSame(await store.find(["c"]), { key: "c", values: ["1", "2", "3"] }, "the chain");
      checkSame(await store.find(["fork"]), { key: "fork", values: ["1", "4"] }, "the fork");
    },
  },
  {
    name: "does not find what goes on from something that is not there",
    async run(createStore) {
      const store = await createStore();
      await store.insert("b", "2", "gone");
      await store.insert("a", "1");
      checkSame(await store.find(["b", "a"]), { key: "a", values: ["1"] }, "what is found");
    },
  },
  {
    name: "does not find what leads back to itself",
    async run(createStore) {
      const store = await createStore();
      await store.insert("a", "1", "b");
      await store.insert("b", "2", "a");
      await store.insert("own", "3", "own");
      check((await store.find(["a", "b", "own"])) === undefined, "it finds a circle");
    },
  },
  {
    name: "takes any key for what it is: none is a place, and no two are the same",
    async run(createStore) {
      const store = await createStore();
      for (const key of hostileKeys) check((await store.find([key])) === undefined, `finds ${key}`);
      for (const [index, key] of hostileKeys.entries()) await store.insert(key, `value ${index}`);
      for (const [index, key] of hostileKeys.entries()) {
        checkSame(
          await store.find([key]),
          { key, values: [`value ${index}`] },
          `the key ${key.slice(0, 20)}`,
        );
      }
    },
  },
  {
    name: "gives values back as they were, however long and whatever is in them",
    async run(createStore) {
      const store = await createStore();
      const values = ["", "\n", "a\r\nb\n\n", '{"a":"\\u0000"}', "ü€𝄞".repeat(50_000), "\ufeffbom"];
      for (const [index, value] of values.entries()) await store.insert(`v${index}`, value);
      for (const [index, value] of values.entries()) {
        const found = await store.find([`v${index}`]);
        check(found?.values[0] === value, `value ${index} came back changed`);
      }
    },
  },
  {
    name: "follows a chain of a thousand",
    async run(createStore) {
      const store = await createStore();
      for (let at = 0; at < 1000; at += 1) {
        await store.insert(`k${at}`, `${at}`, at === 0 ? undefined : `k${at - 1}`);
      }
      const found = await store.find(["k999"]);
      check(found?.values.length === 1000, `it found ${found?.values.length} of 1000`);
      check(found.values[0] === "0" && found.values[999] === "999", "the order is another one");
    },
  },
];
