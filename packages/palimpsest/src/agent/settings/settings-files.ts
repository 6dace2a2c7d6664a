import { join, resolve } from "node:path";
import { realPathOf } from "../base/real-path.js";

export const settingsSources = ["user", "project", "local"] as const;
/**
 * Whose file it is: the person's, the repository's, or the person's own for this repository. The last one lies in the
 * repository too, and nothing in there proves who put it there: for trust both are the repository's.
 */
export type SettingsSource = (typeof settingsSources)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
}

export interface SettingsFilePlace {
  readonly path: string;
  readonly source: SettingsSource;
  /** Where patterns of its permission rules start. */
  readonly base: string;
}

/** The folder of this program's own settings of a person: `PALIMPSEST_HOME`, or below XDG's. */
export function configDirectory({ home, env }: Pick<SettingsPlaces, "home" | "env">): string {
  const own = env["PALIMPSEST_HOME"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = env["XDG_CONFIG_HOME"];
  // The standard says that a relative one counts for nothing.
  const config = xdg !== undefined && xdg.startsWith("/") ? xdg : join(home, ".config");
  return join(config, "palimpsest");
}

/** The working directory is the person's home: what lies there is theirs, under whatever name. */
export const isHome = ({ cwd, home }: Pick<SettingsPlaces, "cwd" | "home">): boolean =>
  realPathOf(resolve(cwd)) === realPathOf(resolve(home));

/** Every place of settings, the strongest first. A file that stands at two places is the person's. */
export function settingsFilePlaces(places: SettingsPlaces): readonly SettingsFilePlace[] {
  const { cwd, home } = places;
  const own = configDirectory(places);
  const all: readonly SettingsFilePlace[] = [
    ...inProject(cwd, isHome(places) ? "user" : "local", "settings.local.json"),
    ...inProject(cwd, isHome(places) ? "user" : "project", "settings.json"),
    { path: join(own, "settings.json"), source: "user", base: own },
    { path: join(home, ".claude", "settings.json"), source: "user", base: join(home, ".claude") },
  ];
  return all.filter(
    ({ path }, index) => !all.some((other, later) => later > index && resolve(other.path) === resolve(path)),
  );
}

const inProject = (cwd: string, source: SettingsSource, name: string): readonly SettingsFilePlace[] =>
  [".palimpsest", ".claude"].map((folder) => ({ path: join(cwd, folder, name), source, base: cwd }));
