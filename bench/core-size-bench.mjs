import { coreSize } from "../scripts/core-size.mjs";

/** What somebody downloads who takes all of an entry of the core, minified and gzipped. */
export const coreSizeBench = {
  name: "core.size",
  async *run() {
    const core = "@palimpsest/core";
    yield { name: "core.size", value: await coreSize(core), unit: "bytes" };
    const both = await coreSize(core, `${core}/compaction`);
    yield { name: "core.size.with-compaction", value: both, unit: "bytes" };
  },
};
