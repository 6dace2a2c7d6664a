import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageSize } from "./image-size.js";

const encode = (...bytes: readonly number[]): string => btoa(String.fromCharCode(...bytes));
const ascii = (value: string): number[] => Array.from(value, (character) => character.charCodeAt(0));
const big16 = (value: number): number[] => [value >> 8, value & 255];
const little16 = (value: number): number[] => [value & 255, value >> 8];
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const riff = (...chunk: readonly number[]): string =>
  encode(...ascii("RIFF"), ...zeros(4), ...ascii("WEBP"), ...chunk);

const png = (width: number, height: number): string =>
  encode(
    0x89,
    ...ascii("PNG\r\n\u001a\n"),
    0,
    0,
    0,
    13,
    ...ascii("IHDR"),
    0,
    0,
    ...big16(width),
    0,
    0,
    ...big16(height),
  );
const gif = (width: number, height: number): string =>
  encode(...ascii("GIF89a"), ...little16(width), ...little16(height));
const jpeg = (width: number, height: number, comment = 0): string => {
  const header = [0xff, 0xe0, ...big16(16), ...zeros(14)];
  const remark = [0xff, 0xfe, ...big16(comment + 2), ...zeros(comment)];
  const frame = [0xff, 0xff, 0xc2, ...big16(17), 8, ...big16(height), ...big16(width), 3];
  return encode(0xff, 0xd8, ...header, ...remark, ...frame);
};
const webpLossy = (width: number, height: number): string =>
  riff(...ascii("VP8 "), ...zeros(4), 0, 0, 0, 0x9d, 0x01, 0x2a, ...little16(width), ...little16(height));
const webpExtended = (width: number, height: number): string =>
  riff(...ascii("VP8X"), ...zeros(8), ...little16(width - 1), 0, ...little16(height - 1), 0);
const webpLossless = (width: number, height: number): string => {
  const bits = width - 1 + (height - 1) * 16_384;
  return riff(
    ...ascii("VP8L"),
    ...zeros(4),
    0x2f,
    bits & 255,
    (bits >>> 8) & 255,
    (bits >>> 16) & 255,
    (bits >>> 24) & 255,
  );
};

describe("imageSize", () => {
  it.each([
    ["png", png],
    ["gif", gif],
    ["jpeg", jpeg],
    ["webp, lossy", webpLossy],
    ["webp, lossless", webpLossless],
    ["webp, extended", webpExtended],
  ] as const)("reads %s", (_, build) => {
    expect(imageSize(build(640, 481))).toEqual({ width: 640, height: 481 });
    expect(imageSize(build(9001, 3))).toEqual({ width: 9001, height: 3 });
  });

  it("finds the frame of a jpeg behind long segments", () => {
    expect(imageSize(jpeg(1200, 800, 60_000))).toEqual({ width: 1200, height: 800 });
  });

  it.each(["", "AAAA", "not base64", png(1, 1).slice(0, 24), encode(0xff, 0xd8, 0xff, 0xda), png(0, 5)])(
    "has no size for %j",
    (data) => {
      expect(imageSize(data)).toBeUndefined();
    },
  );

  it("never throws", () => {
    const heads = [png(5, 5), jpeg(5, 5), webpLossy(5, 5), gif(5, 5)];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(60), fc.string(), (head, cut, tail) => {
        imageSize(head.slice(0, cut) + tail);
      }),
    );
  });
});
