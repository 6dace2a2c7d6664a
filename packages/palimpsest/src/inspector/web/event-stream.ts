/** One event of a `text/event-stream`. */
export interface StreamedEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/** Puts pieces of a stream together into events. Comments and unfinished events are not told. */
export function createEventParser(onEvent: (event: StreamedEvent) => void): (piece: string) => void {
  let rest = "";
  let id: string | null = null;
  let type = "";
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (line === "") {
      if (data.length > 0) onEvent({ id, type: type === "" ? "message" : type, data: data.join("\n") });
      type = "";
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    else if (field === "event") type = value;
    else if (field === "data") data.push(value);
  };
  return (piece) => {
    rest += piece;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) readLine(line);
  };
}
