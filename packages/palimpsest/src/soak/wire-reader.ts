/** The head of a message as its bytes say: nothing joined, sorted or decoded. */
export interface WireHead {
  readonly firstLine: string;
  /** Names and values in their order, as Latin-1. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Reads one HTTP/1.1 message after another from a connection, byte by byte what it is. Shares no code with Node's parser. */
export class WireReader {
  head: WireHead | undefined;
  readonly #body: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are to come; undefined in front of a chunk's size. */
  #left: number | undefined;
  #framing: "none" | "length" | "chunks" | "close" = "none";
  isComplete = false;
  readonly #isBodiless: (head: WireHead) => boolean;

  /** `isBodiless`: whether a message with this head has no body, whatever its headers say. */
  constructor(isBodiless: (head: WireHead) => boolean = () => false) {
    this.#isBodiless = isBodiless;
  }

  get body(): Buffer {
    return Buffer.concat(this.#body);
  }

  push(bytes: Buffer, canCloseEnd: boolean): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      if (this.isComplete) return;
      if (this.head === undefined) {
        if (!this.#readHead(canCloseEnd)) return;
      } else if (!this.#readBody()) return;
    }
  }

  /** The connection has ended in good order. */
  end(): void {
    if (this.head !== undefined && this.#framing === "close") this.isComplete = true;
  }

  #readHead(canCloseEnd: boolean): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end === -1) return false;
    const [firstLine = "", ...lines] = this.#rest.subarray(0, end).toString("latin1").split("\r\n");
    this.#rest = this.#rest.subarray(end + 4);
    const headers = lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    });
    // `100 Continue` and its like are not the answer.
    if (/^HTTP\/1\.1 1\d\d/.test(firstLine)) return true;
    this.head = { firstLine, headers };
    const valueOf = (wanted: string): string | undefined =>
      headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    const length = valueOf("content-length");
    if (this.#isBodiless(this.head)) this.isComplete = true;
    else if (valueOf("transfer-encoding") !== undefined) this.#framing = "chunks";
    else if (length !== undefined) {
      this.#framing = "length";
      this.#left = Number(length);
    } else if (canCloseEnd) this.#framing = "close";
    else this.isComplete = true;
    return true;
  }

  /** Whether something was read, so that more may follow. */
  #readBody(): boolean {
    if (this.#framing === "chunks" && this.#left === undefined) return this.#readChunkSize();
    const wanted = this.#framing === "close" ? this.#rest.length : (this.#left ?? 0);
    const taken = this.#rest.subarray(0, wanted);
    this.#body.push(taken);
    this.#rest = this.#rest.subarray(taken.length);
    if (this.#framing === "close") return false;
    this.#left = wanted - taken.length;
    if (this.#left > 0) return false;
    if (this.#framing === "length") this.isComplete = true;
    else if (this.#rest.length < 2) return false;
    else {
      this.#rest = this.#rest.subarray(2);
      this.#left = undefined;
    }
    return true;
  }

  #readChunkSize(): boolean {
    const end = this.#rest.indexOf("\r\n");
    if (end === -1) return false;
    const size = Number.parseInt(this.#rest.subarray(0, end).toString("latin1"), 16);
    if (size > 0) {
      this.#rest = this.#rest.subarray(end + 2);
      this.#left = size;
      return true;
    }
    // Trailers end with an empty line.
    if (this.#rest.indexOf("\r\n\r\n", end) === -1) return false;
    this.isComplete = true;
    return true;
  }
}
