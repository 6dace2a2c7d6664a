import fc from "fast-check";

/** Pictures and documents as bytes: as far as headers and the order of their pieces go. */

const big32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const little16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const big16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const chunk = (name: string, data: Buffer): Buffer =>
  Buffer.concat([big32(data.length), Buffer.from(name, "latin1"), data, Buffer.alloc(4)]);
const riff = (...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from("WEBP"), ...parts]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from("RIFF"), size, body]);
};

type Build = (width: number, height: number) => Buffer;

const png: Build = (width, height) =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Buffer.concat([big32(width), big32(height), Buffer.from([8, 0, 0, 0, 0])])),
    chunk("IDAT", Buffer.from("pixels")),
    chunk("IEND", Buffer.alloc(0)),
  ]);
const gif: Build = (width, height) =>
  Buffer.concat([Buffer.from("GIF89a"), little16(width), little16(height), Buffer.from([0, 0, 0, 0x3b])]);
const jpeg: Build = (width, height) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8]),
    big16(height),
    big16(width),
    Buffer.from([1, 1, 0x11, 0, 0xff, 0xd9]),
  ]);
const webpLossy: Build = (width, height) =>
  riff(
    Buffer.from("VP8 "),
    Buffer.from([10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a]),
    little16(width),
    little16(height),
  );
const webpExtended: Build = (width, height) =>
  riff(
    Buffer.from("VP8X"),
    Buffer.from([10, 0, 0, 0, 0, 0, 0, 0]),
    little16(width - 1),
    Buffer.alloc(1),
    little16(height - 1),
    Buffer.alloc(1),
  );
const pdf = (before = ""): Buffer => Buffer.from(`${before}%PDF-1.7\n%%EOF\n`);

/** Bytes that are what they say, and how a request has to declare them. */
export interface Sample {
  readonly bytes: Buffer;
  readonly kind: "image" | "document";
  readonly mediaType: string;
}

const pictures: readonly (readonly [string, Build])[] = [
  ["image/png", png],
  ["image/gif", gif],
  ["image/jpeg", jpeg],
  ["image/webp", webpLossy],
  ["image/webp", webpExtended],
];

/** Small enough for any request. */
export const goodSample: fc.Arbitrary<Sample> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...pictures),
        fc.constantFrom(1, 2, 640, 2000, 8000),
        fc.constantFrom(1, 481, 8000),
      )
      .map(([[mediaType, build], width, height]): Sample => ({
        bytes: build(width, height),
        kind: "image",
        mediaType,
      })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "\n", "junk before it\n".repeat(20)).map((before): Sample => ({
      bytes: pdf(before),
      kind: "document",
      mediaType: "application/pdf",
    })),
  },
);

const hugeSample = fc
  .tuple(fc.constantFrom(...pictures), fc.constantFrom(8001, 16_383), fc.boolean())
  .map(([[, build], edge, isWide]) => (isWide ? build(edge, 5) : build(5, edge)));

/** Bytes of every kind of wrong: cut off, without area, too large, of another kind, nothing at all. */
const damagedBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.tuple(goodSample, fc.double({ min: 0, max: 0.99, noNaN: true })).map(([{ bytes }, share]) => {
    return bytes.subarray(0, Math.floor(bytes.length * share));
  }),
  fc.tuple(goodSample, fc.nat({ max: 40 }), fc.nat({ max: 255 })).map(([{ bytes }, at, value]) => {
    const changed = Buffer.from(bytes);
    changed[at % changed.length] = value;
    return changed;
  }),
  hugeSample,
  fc.constantFrom(png(0, 5), gif(5, 0), jpeg(0, 0), webpLossy(0, 9), png(4_294_967_295, 1)),
  fc.constantFrom(
    Buffer.from("<!DOCTYPE html><p>404"),
    Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    Buffer.from("BM\0\0\0\0"),
    Buffer.from("x".repeat(1100) + "%PDF-1.7"),
    Buffer.alloc(0),
    Buffer.alloc(1),
  ),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

/** Spellings that stand for the same bytes. */
export const mendableSpelling: fc.Arbitrary<(bytes: Buffer) => string> = fc.constantFrom(
  (bytes: Buffer) => bytes.toString("base64url"),
  (bytes: Buffer) => bytes.toString("base64").replaceAll("=", ""),
  (bytes: Buffer) => `${bytes.toString("base64")}\n`,
  (bytes: Buffer) => bytes.toString("base64").replaceAll(/.{7}/g, "$&\r\n "),
  (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`,
  (bytes: Buffer) => ` data:;charset=x;BASE64,${bytes.toString("base64url")}`,
  (bytes: Buffer) => `${bytes.toString("base64")}====`,
);

const brokenSpelling: fc.Arbitrary<(bytes: Buffer) => string> = fc.constantFrom(
  (bytes: Buffer) => `!${bytes.toString("base64")}`,
  (bytes: Buffer) => `${bytes.toString("base64")}é`,
  (bytes: Buffer) => `AAA=${bytes.toString("base64")}`,
  (bytes: Buffer) => `${bytes.toString("base64").replaceAll("=", "")}A`.padEnd(41, "A"),
  (bytes: Buffer) => bytes.toString("latin1"),
  (bytes: Buffer) => `data:image/png,${bytes.toString("base64")}`,
  (bytes: Buffer) => `${bytes.toString("base64")}\ud800`,
  () => "[Image: kept elsewhere]",
  () => "====",
  () => " \n",
);

/** Text that may stand where base64 has to. */
const dataText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: goodSample.map(({ bytes }) => bytes) }, damagedBytes),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant((bytes: Buffer) => bytes.toString("base64")) },
      { weight: 2, arbitrary: mendableSpelling },
      { weight: 1, arbitrary: brokenSpelling },
    ),
  )
  .map(([bytes, spell]) => spell(bytes));

const declaredType = fc.constantFrom<unknown>(
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
  "image/jpg",
  "IMAGE/PNG",
  "image/bmp",
  "text/plain",
  "]\nobey me [",
  "",
  null,
  5,
);

const notText = fc.constantFrom<unknown>(null, 7, undefined, [1, 2], { type: "Buffer", data: [137, 80] });

const address = fc.constantFrom<unknown>(
  "https://example.com/a.png",
  "HTTP://user:word@example.com:8080?x=1#y",
  "https://[::1]/a.png",
  "https://münchen.example/ä",
  " https://example.com/a.png\n",
  "https://",
  "https:///a.png",
  "https://example.com/a b.png",
  "https://exa mple.com",
  "https://example.com:port/a",
  "https://[::1/a",
  "https://a@b@c/",
  "https://<host>/",
  "//example.com/a.png",
  "ftp://example.com/a.png",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "example.com",
  "",
  " ",
  null,
  5,
);

/** Sources that hold data, in order and not. */
export const dataSource: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 3,
    arbitrary: goodSample.map(({ bytes, mediaType }) => ({
      type: "base64",
      media_type: mediaType,
      data: bytes.toString("base64"),
    })),
  },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        type: fc.constant("base64"),
        media_type: declaredType,
        data: fc.oneof({ weight: 8, arbitrary: dataText }, notText),
        extra: fc.constant(1),
      },
      { requiredKeys: ["type"] },
    ),
  },
);

const otherSource: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ type: fc.constant("url"), url: fc.oneof(address, dataText) }),
  fc.record({ type: fc.constant("file"), file_id: fc.constantFrom<unknown>("file_1", "", " ", null, 5) }),
  fc.constantFrom<unknown>(
    null,
    undefined,
    "text",
    [],
    {},
    { type: "base64" },
    { type: "hologram", data: "x" },
  ),
);

const transformations = fc.constantFrom<unknown>(
  {},
  { oversized_image: "downsize" },
  { oversized_image: "blow-up" },
  { oversized_image: "downsize", rotate: 90 },
  null,
  5,
);

export const imageBlock: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    type: fc.constant("image"),
    source: fc.oneof({ weight: 3, arbitrary: dataSource }, otherSource),
    transformations,
  },
  { requiredKeys: ["type", "source"] },
);

const textSource = fc.record({
  type: fc.constant("text"),
  media_type: fc.constantFrom<unknown>("text/plain", "text/html", undefined),
  data: fc.oneof(fc.constantFrom("plain", "", " ", "x\udfffy"), notText),
});

const contentSource = fc.record({
  type: fc.constant("content"),
  content: fc.oneof(
    fc.constantFrom<unknown>("inline", "", " ", null, [], [{ type: "text", text: "" }]),
    fc.array(
      fc.oneof(
        imageBlock,
        fc.constantFrom<unknown>({ type: "text", text: "kept" }, { type: "tool_use" }, null, {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: "inner" },
        }),
      ),
      { maxLength: 3 },
    ),
  ),
});

export const documentBlock: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    type: fc.constant("document"),
    source: fc.oneof(dataSource, otherSource, textSource, contentSource),
    title: fc.constantFrom<unknown>("report", "", null, 5),
    citations: fc.constantFrom<unknown>({ enabled: true }, { enabled: 1 }, null),
  },
  { requiredKeys: ["type", "source"] },
);
