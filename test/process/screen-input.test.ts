import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { runCommand } from "./agent-command.js";
import { describeInEach, setScreen } from "./screen-stage.js";
import { keys } from "./screen-terminal.js";

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  const crcOf = (bytes: Buffer): number => {
    let crc = 0xffffffff;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return (crc ^ 0xffffffff) >>> 0;
  };
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crcOf(body));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

type Block = { readonly type: string; readonly text?: string; readonly source?: { readonly data: string } };
const picturesIn = (message: unknown): readonly string[] => {
  const { content } = message as { readonly content: string | readonly Block[] };
  return typeof content === "string"
    ? []
    : content.flatMap(({ type, source }) => (type === "image" && source !== undefined ? [source.data] : []));
};

describeInEach("what a person gives to the screen", ({ setScreen, start, compare }) => {
  it("takes the path of a picture that is pasted or dropped for the picture, and says what it cannot take", async () => {
    const { at, open, api } = await setScreen([{ text: "A grey square." }, { text: "Nothing to see." }]);
    const elsewhere = join(at.root, "my desk");
    await mkdir(elsewhere);
    const shot = join(elsewhere, "a shot (1).png");
    await writeFile(shot, png(20, 10));
    await writeFile(join(at.work, "second"), png(5, 5));
    await writeFile(join(elsewhere, "song.png"), "no picture at all");
    await writeFile(join(elsewhere, "large.jpg"), Buffer.alloc(5 * 1024 * 1024 + 1, 0xff));
    await mkdir(join(elsewhere, "folder.png"));
    const screen = await open();
    screen.paste(`${shot.replaceAll(/[ ()]/g, String.raw`\$&`)} `);
    await screen.untilScreen("❯ [picture 1: a shot (1).png]");
    await screen.until("picture 1: a shot (1).png · PNG, 20 × 10 pixels, 1 KB");
    // Typed after it, and at once.
    screen.paste(`'${join(at.work, "second")}'`);
    screen.type("what are they?");
    await screen.untilScreen("❯ [picture 1: a shot (1).png] [picture 2: second] what are they?");
    await compare("two pictures", screen);
    screen.type(keys.enter);
    await screen.until("A grey square.");
    const sent = api.bodies[0]?.messages.at(-1);
    expect(JSON.stringify(sent)).toContain("[picture 1: a shot (1).png] [picture 2: second] what are they?");
    expect(picturesIn(sent)).toEqual([png(20, 10), png(5, 5)].map((bytes) => bytes.toString("base64")));
    await screen.untilScreen(/^❯$/m);
    screen.paste(join(elsewhere, "song.png"));
    await screen.until("song.png is not attached: it must be a PNG, JPEG, GIF or WebP picture");
    screen.type(" and ");
    screen.paste(join(elsewhere, "large.jpg"));
    await screen.until("large.jpg is not attached: it is a binary file of more than 5 MB");
    screen.paste(join(elsewhere, "folder.png"));
    screen.type(" nothing");
    await screen.untilScreen("nothing");
    screen.type(keys.enter);
    await screen.until("Nothing to see.");
    expect(picturesIn(api.bodies.at(-1)?.messages.at(-1))).toEqual([]);
    expect(JSON.stringify(api.bodies.at(-1)?.messages.at(-1))).toContain("song.png and ");
  });

  it("searches what was said in other conversations of this folder too, and says which those are", async () => {
    const { at, open, api } = await setScreen([{ text: "One." }, { text: "Two." }]);
    // A prompt alone, without a flag before it, is said at once.
    const first = await start(at, { args: ["tell me of whales", "--base-url", api.url] });
    await first.until("❯ tell me of whales");
    await first.until("One.");
    first.type(keys.controlD);
    await first.ended;
    const screen = await open();
    screen.type(keys.controlR);
    await screen.untilScreen("→ elsewhere: tell me of whales");
    screen.type(keys.escape);
    await screen.untilScreen(/^─+\n❯$/m);
    await screen.say("tell me of stars");
    await screen.until("One.");
    screen.type(keys.controlR);
    await screen.untilScreen(/→ tell me of stars[^]*elsewhere: tell me of whales/);
    await compare("both are listed", screen);
    screen.type("whal");
    await screen.untilScreen(/❯ whal\n→ elsewhere: tell me of whales/);
    screen.type(keys.enter);
    await screen.untilScreen(/^─+\n❯ tell me of whales\n/m);
    screen.type(keys.enter);
    await screen.until("Two.");
    expect(JSON.stringify(api.bodies.at(-1)?.messages.at(-1))).toContain("tell me of whales");
  });
});

it("a rule that forbids to read holds for pictures too, also where a link leads to them", async () => {
  const { at, open, api } = await setScreen([{ text: "Seen." }]);
  const hidden = join(at.work, "hidden");
  await mkdir(hidden);
  await writeFile(join(hidden, "face.png"), png(4, 4));
  await symlink(join(hidden, "face.png"), join(at.work, "link.png"));
  const screen = await open({ args: ["--disallowed-tools", "Read(./hidden/**)"] });
  for (const name of ["hidden/face.png", "link.png"]) {
    screen.paste(name);
    await screen.until(`${name.split("/").at(-1)} is not attached: it may not be read.`);
  }
  screen.type(keys.enter);
  await screen.until("Seen.");
  expect(picturesIn(api.bodies[0]?.messages.at(-1))).toEqual([]);
});

it("a prompt without a terminal is one sentence that says what to do, and nothing is started", async () => {
  const { at, api } = await setScreen([{ text: "Never." }]);
  const ended = await runCommand(at, ["fix the build", "--base-url", api.url]);
  expect(ended).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^palimpsest: a prompt by itself opens the agent in a terminal, [^\n]*put -p before it[^\n]*\n$/,
    ),
  });
  expect(api.bodies).toEqual([]);
});
