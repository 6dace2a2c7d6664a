import { describe, expect, it } from "vitest";
import { createHost, expectCompacted } from "./host.js";

/** Beyond what a hasty summary keeps of a message. */
const WISH = `${"Some words that come before what matters. ".repeat(60)}Never rename the table of names.`;

async function compactWith(settings: NonNullable<Parameters<typeof createHost>[0]>["settings"] = {}) {
  const host = createHost({ settings });
  host.say(WISH);
  await host.turns(12);
  const restored = {
    attachments: [
      {
        channel: "plan" as const,
        attachment: { type: "plan_file_reference", planFilePath: "/p.md", planContent: "The plan." },
        tokens: 10,
      },
    ],
    readStateAfter: { reads: [{ path: "/work/a.ts", timestamp: 1, mtime: 1 }] },
    skipped: [],
    isAborted: false,
  };
  return expectCompacted(await host.compact({}, { restore: async () => restored }));
}

describe("parts of a compaction that can be switched off", () => {
  it("are on unless somebody says otherwise", async () => {
    const { summary, mended, attachments } = await compactWith();
    expect(summary).toContain("Never rename the table of names.");
    expect(mended.messagesAdded).toBeGreaterThan(0);
    expect(attachments.map(({ attachment }) => attachment.type)).toEqual(["plan_file_reference"]);
  });

  it("compactVerify: a summary is taken as it came, and what it left out is lost", async () => {
    const { summary, mended, writer } = await compactWith({ compactVerify: false });
    expect(writer).toBe("fork");
    expect(summary).not.toContain("Never rename the table of names.");
    expect(mended).toEqual({ sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] });
  });

  it("compactRestore: nothing comes back, and nothing counts as read any more", async () => {
    const { attachments, restored, summary } = await compactWith({ compactRestore: false });
    expect(attachments).toEqual([]);
    expect(restored?.readStateAfter.reads).toEqual([]);
    expect(summary).toContain("Never rename the table of names.");
  });
});
