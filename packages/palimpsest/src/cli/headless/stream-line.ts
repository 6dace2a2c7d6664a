/** A line of `stream-json`: the names are those that programs of this ecosystem read. */
export type StreamLine = Readonly<Record<string, unknown>>;
