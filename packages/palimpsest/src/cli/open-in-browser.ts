import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/** What opens addresses on this system; undefined where there is no desktop that could. */
function opener(env: Environment): readonly [program: string, ...args: string[]] | undefined {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}

/** Shows an address in the person's browser where that is possible. Whoever prints the address has told it anyway. */
export function openInBrowser(url: string, env: Environment): void {
  const [program, ...args] = opener(env) ?? [];
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env: { ...env } });
  child.on("error", () => {});
  child.unref();
}
