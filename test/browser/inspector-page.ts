import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findNamed } from "../../packages/palimpsest/src/inspector/live/find-conversations.js";
import type {
  ServedInspector,
  startInspector as StartInspector,
} from "../../packages/palimpsest/src/inspector/live/start-inspector.js";

/** As it is built: only there are the threads in which it works out advice and what-ifs. */
const { startInspector } = (await import(
  new URL("../../packages/palimpsest/dist/inspector/live/start-inspector.js", import.meta.url).href
)) as { readonly startInspector: typeof StartInspector };

export interface OpenPage {
  readonly page: Page;
  /** Everything it did that the page must not do: errors, refusals of its policy, requests elsewhere. */
  readonly faults: string[];
}

/** An inspector of these files, on loopback, with all that it keeps in a folder of its own. */
export async function inspectorOf(files: Readonly<Record<string, Iterable<string> | null>>): Promise<{
  readonly inspector: ServedInspector;
  readonly folder: string;
  close(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-inspector-"));
  const paths = Object.entries(files).map(([name, lines]) => {
    if (lines === null) return name;
    const path = join(folder, name);
    writeFileSync(path, [...lines].map((line) => `${line}\n`).join(""));
    return path;
  });
  const inspector = await startInspector({
    find: async () => (await findNamed(paths)).found,
    dataDirectory: join(folder, "data"),
    env: {},
  });
  return {
    inspector,
    folder,
    close: async () => {
      await inspector.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openInspector(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const origin = new URL(url).origin;
  page.on("console", (message) => {
    if (/^(?:error|warning)$/.test(message.type()))
      faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`answer ${response.status()}: ${response.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const own = origin === "null" ? request.url() === url : request.url().startsWith(`${origin}/`);
    if (!own && !request.url().startsWith("blob:")) {
      faults.push(`request: ${request.url()}`);
    }
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, faults };
}
