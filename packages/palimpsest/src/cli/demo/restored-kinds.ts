import type { AttachmentMessage } from "@palimpsest/core";

const kinds: Readonly<Record<string, string>> = {
  file: "file",
  todo: "todos",
  plan_file_reference: "plan",
  invoked_skills: "skill",
  task_status: "background agent",
  agent_listing_delta: "agent types",
};

/** What came back after a compaction, in words for people. */
export function restoredKinds(attachments: readonly AttachmentMessage[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { attachment } of attachments) {
    const kind = kinds[attachment.type];
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) =>
    count === 1 && kind !== "file" ? kind : `${count} ${kind}${count === 1 ? "" : "s"}`,
  );
}
