import { crc32 } from "node:zlib";

/** One frame of Amazon's event stream: lengths, headers, payload, and a sum over each part. */
function frame(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const text = Buffer.from(value);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(text.length);
      // 7: the value is a string.
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        text,
      ]);
    }),
  );
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + payload.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, payload]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, sum]);
}

const chunk = (event: string): Buffer =>
  frame(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    Buffer.from(JSON.stringify({ bytes: Buffer.from(event).toString("base64") })),
  );

/** A response of the API as Bedrock gives it: streams in frames, errors with a message and a type in a header. */
export async function asBedrock(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  if (response.status >= 400) {
    const { error } = (await response.json()) as { readonly error?: { readonly message?: string } };
    const { status, type } = errorTypes[response.status] ?? (response.status < 500 ? unknownFault : ownFault);
    headers.set("x-amzn-errortype", type);
    return Response.json({ message: error?.message ?? "" }, { status, headers });
  }
  if (response.body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    return response;
  }
  headers.set("content-type", "application/vnd.amazon.eventstream");
  return new Response(response.body.pipeThrough(framed()), { status: response.status, headers });
}

interface ErrorType {
  readonly status: number;
  readonly type: string;
}

const unknownFault: ErrorType = { status: 400, type: "ValidationException" };
const ownFault: ErrorType = { status: 500, type: "InternalServerException" };

const errorTypes: Readonly<Record<number, ErrorType>> = {
  401: { status: 403, type: "AccessDeniedException" },
  403: { status: 403, type: "AccessDeniedException" },
  404: { status: 404, type: "ResourceNotFoundException" },
  429: { status: 429, type: "ThrottlingException" },
  529: { status: 503, type: "ServiceUnavailableException" },
};

/** Each event of a stream becomes a frame. */
function framed(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream({
    transform(bytes, controller) {
      const events = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) controller.enqueue(chunk(data));
      }
    },
  });
}
