import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { Environment } from "../settings/settings-files.js";

/** Where this program keeps what it makes: `PALIMPSEST_HOME`, or below XDG's folder for data. */
export function dataDirectory({ home, env }: { readonly home: string; readonly env: Environment }): string {
  const own = env["PALIMPSEST_HOME"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = env["XDG_DATA_HOME"];
  const data = xdg !== undefined && xdg.startsWith("/") ? xdg : join(home, ".local", "share");
  return join(data, "palimpsest");
}

const LONGEST_NAME = 80;

/** The folder of a project's transcripts. Two directories never share one. */
export function projectFolder(dataFolder: string, cwd: string): string {
  const path = resolve(cwd);
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 8);
  const name = path.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(-LONGEST_NAME);
  return join(dataFolder, "projects", `${name.replace(/^-+/, "")}-${digest}`);
}

/** What belongs to one session beside its transcript: outputs that were too long, its plan, its todos. */
export const sessionFolder = (dataFolder: string, sessionId: string): string =>
  join(dataFolder, "sessions", sessionId);

/** Outputs that were too long for the context. The agent may read them. */
export const outputFolder = (folder: string): string => join(folder, "outputs");
