import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const named = process.env["PALIMPSEST_CHROMIUM"];

/** The Chromium of the machine: the one that `PALIMPSEST_CHROMIUM` names, else where distributions put it. */
export const chromiumPath: string | undefined = (
  named === undefined
    ? [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome-stable",
        "/usr/bin/google-chrome",
      ]
    : [named]
).find((path) => existsSync(path));

/** Without its sandbox, which does not start as root nor in most containers: it shows our own pages only. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? "chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
