import { describe, expect, it } from "vitest";
import { createMemoryNotesStore } from "@palimpsest/core/notes";
import { notesTemplate } from "@palimpsest/core/notes";
import type { Answer } from "../../packages/palimpsest/src/simulator/index.js";
import { lastTextOf, NOTES_PATH, notesPlayer, says, settle, startNotesHost, writerOf } from "./notes-host.js";

describe("an update that is under way", () => {
  const underWay = async () => {
    const settings = { notesFirstTokens: 15_000, notesTokensBetweenUpdates: 1_000_000 };
    const host = startNotesHost({ settings });
    await host.agent.say("go");
    host.hold();
    await host.workUntil(25_000, { isWaiting: false });
    expect(host.calls).toHaveLength(1);
    await host.fill();
    return host;
  };

  it("is waited for, and what it brought is used", async () => {
    const host = await underWay();
    const preparing = host.conversation.prepare();
    await settle();
    expect(host.timers).toMatchObject([{ milliseconds: 15_000, isStopped: false }]);
    host.release();
    expect((await preparing).steps.map(({ tier }) => tier)).toEqual(["notes"]);
    expect(host.timers[0]?.isStopped).toBe(true);
  });

  it("is not waited for longer than that", async () => {
    const host = await underWay();
    const preparing = host.conversation.prepare();
    await settle();
    host.timers[0]?.fire();
    expect((await preparing).steps.map(({ tier }) => tier)).toEqual(["full"]);
    host.release();
    await host.conversation.notes?.idle();
    // What they cover is compacted away: the notes stay, and nothing is recorded.
    expect(host.updates.at(-1)?.outcome).toBe("updated");
    expect(host.records()).toEqual([]);
  });

  it("after the time the notes from before it are used, where there are any", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    await host.workUntil(8000);
    const before = await host.conversation.notes?.read();
    host.hold();
    await host.workUntil(16_000, { isWaiting: false });
    const compacting = host.conversation.compact();
    await settle();
    host.timers[0]?.fire();
    const outcome = await compacting;
    expect(writerOf(outcome)).toBe("notes");
    const worklog = /# Worklog\n.*\n\n?(- .*)\n/.exec(before ?? "")?.[1];
    if (outcome.kind === "compacted") expect(outcome.summary).toContain(worklog);
    host.release();
    await host.conversation.notes?.idle();
  });

  it("is the only one, and the conversation goes on meanwhile", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    host.hold();
    await host.workUntil(20_000, { isWaiting: false });
    expect(host.agent.turns).toBeGreaterThan(5);
    expect(host.calls).toHaveLength(1);
    host.release();
    await host.conversation.notes?.idle();
    await host.workUntil(host.conversation.size().padded + 1);
    expect(host.calls.length).toBeGreaterThan(1);
  });

  it("counts as dead after a minute: nobody waits, a new one begins, and what it brings later is dropped", async () => {
    const host = await underWay();
    host.provider.simulator.advance(61_000);
    expect((await host.conversation.prepare()).steps.map(({ tier }) => tier)).toEqual(["full"]);
    expect(host.timers.every(({ isStopped }) => isStopped)).toBe(true);
    host.release();
    await host.conversation.notes?.idle();

    const other = startNotesHost();
    await other.agent.say("go");
    other.hold();
    await other.workUntil(6000, { isWaiting: false });
    expect(other.calls).toHaveLength(1);
    const releaseDead = other.release;
    other.provider.simulator.advance(61_000);
    await other.workUntil(16_000, { isWaiting: false });
    expect(other.calls.length).toBeGreaterThan(1);
    releaseDead();
    await other.conversation.notes?.idle();
    await settle();
    expect(other.updates.map(({ outcome }) => outcome).toSorted()).toEqual(["failed", "updated"]);
    expect(other.updates.find(({ outcome }) => outcome === "failed")?.message).toMatch(/taken over/);
    expect(other.records()).toHaveLength(1);
    expect(writerOf(await other.conversation.compact())).toBe("notes");
  });
});

describe("what an update may do", () => {
  const use = (name: string, input: Readonly<Record<string, unknown>>): Answer["content"][number] => ({
    type: "tool_use",
    name,
    input,
  });
  const edit = (file_path: string, old_string: string, new_string: string) =>
    use("Edit", { file_path, old_string, new_string });

  it("another tool and another path are refused and told so, and nothing is written", async () => {
    const player = notesPlayer((asked) =>
      asked % 2 === 1
        ? {
            content: [use("Bash", { command: "rm -rf /" }), edit("/work/main.ts", "# Worklog", "gone")],
          }
        : says("Then not."),
    );
    const host = startNotesHost({ player });
    await host.agent.say("go");
    await host.workUntil(6000);
    expect(host.calls).toHaveLength(2);
    const told = lastTextOf(
      host.calls[1] ?? { request: { model: "", messages: [], max_tokens: 1 }, betas: [] },
    );
    expect(told).toContain(`Refused: only Edit may be used here, and only on ${NOTES_PATH}.`);
    expect(told).toContain(`Refused: only ${NOTES_PATH} may be edited.`);
    expect(told.split('"is_error":true')).toHaveLength(3);
    expect(host.updates).toMatchObject([{ outcome: "unchanged", edits: 0, refused: 2 }]);
    expect(await host.store.read()).toBeUndefined();
  });

  it("one that never gives in gets three answers, and what was good in them is written once", async () => {
    const player = notesPlayer((asked) => ({
      content: [
        edit(NOTES_PATH, `# Worklog\n_Step`, `# Log\n_Step`),
        ...(asked === 1 ? [edit(NOTES_PATH, "and done._", "and done._\n- $& began")] : []),
      ],
    }));
    const writes: string[] = [];
    const inner = createMemoryNotesStore(NOTES_PATH);
    const host = startNotesHost({
      player,
      store: { ...inner, write: (notes) => (writes.push(notes), inner.write(notes)) },
    });
    await host.agent.say("go");
    await host.workUntil(6000);
    expect(host.calls).toHaveLength(3);
    expect(host.updates).toMatchObject([{ outcome: "updated", edits: 1, refused: 3 }]);
    expect(writes).toEqual([notesTemplate.replace("and done._", () => "and done._\n- $& began")]);
  });

  it("one that fails is told by an event, and tried at the next trigger", async () => {
    const player = notesPlayer((asked) =>
      asked === 1
        ? { content: [], error: { status: 529, type: "overloaded_error", message: "Overloaded" } }
        : { content: [edit(NOTES_PATH, "and done._", "and done._\n- began")] },
    );
    const host = startNotesHost({ player });
    await host.agent.say("go");
    await host.workUntil(6000);
    expect(host.updates).toMatchObject([{ outcome: "failed", edits: 0 }]);
    expect(host.updates[0]?.message).toMatch(/Overloaded/);
    expect(host.records()).toEqual([]);
    await host.workUntil(16_000);
    expect(host.updates[1]).toMatchObject({ outcome: "updated", edits: 1 });
    expect(await host.conversation.notes?.read()).toContain("- began");
    expect(writerOf(await host.conversation.compact())).toBe("notes");
  });
});
