import fc from "fast-check";
import { expect, it } from "vitest";
import { createKeyFilter } from "./key-filter.js";

const KEY = "sk-key-key-12";

it("takes a key out, in whatever pieces it comes, and nothing else", () => {
  const part = fc.oneof(
    fc.constant(KEY),
    fc.constantFrom("sk-", "sk-key-", "y-12", "\n", "ä€", "x"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(40)), (parts, sizes) => {
      const bytes = Buffer.from(parts.join(""));
      const filter = createKeyFilter([KEY]);
      const out: Buffer[] = [];
      let at = 0;
      for (const size of sizes) out.push(filter.add(bytes.subarray(at, (at += size))));
      out.push(filter.add(bytes.subarray(at)), filter.end());
      expect(Buffer.concat(out).toString()).toBe(bytes.toString().replaceAll(KEY, "[secret]"));
    }),
  );
});

it("holds nothing back that is no beginning of a key", () => {
  const filter = createKeyFilter([KEY]);
  expect(filter.add(Buffer.from("listening on 3000\n")).toString()).toBe("listening on 3000\n");
  expect(filter.add(Buffer.from("a sk-k")).toString()).toBe("a ");
  expect(filter.end().toString()).toBe("sk-k");
  const bytes = Buffer.from([0, 255, 128]);
  expect(createKeyFilter([]).add(bytes)).toBe(bytes);
});
