import type { AttachmentMessage } from "@palimpsest/core";

/** Fields in which programs name what an attachment is about. */
const NAMES = ["displayPath", "path", "filename", "name"];

/** What a program's message beside others is: its type, and the file or thing that it is about. */
export function attachmentWords(attachment: AttachmentMessage["attachment"]): string {
  const fields = new Map(Object.entries(attachment));
  const named = NAMES.map((name) => fields.get(name)).find(
    (value) => typeof value === "string" && value !== "",
  );
  return typeof named === "string" ? `${attachment.type} ${shortPath(named)}` : attachment.type;
}

/** Of a long path the last parts: the first ones are those of all of its neighbours too. */
function shortPath(path: string): string {
  const parts = path.split("/");
  return parts.length > SHOWN_PARTS + 2 ? `…/${parts.slice(-SHOWN_PARTS).join("/")}` : path;
}

const SHOWN_PARTS = 4;
