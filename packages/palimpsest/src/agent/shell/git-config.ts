/** One setting of a configuration of git. */
export interface GitSetting {
  /** `section.key` in small letters; of `remote "origin"` the section alone. */
  readonly key: string;
  readonly subsection: string | undefined;
  readonly value: string;
}

const header = /^[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]/;
const assignment = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?$/;
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/**
 * The settings of a configuration file, where each stands on one line of its own. Undefined for whatever git might read
 * in another way than this does.
 */
export function readGitConfig(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let section: { readonly name: string; readonly subsection: string | undefined } | undefined;
  for (const written of text.split("\n")) {
    let line = written.replace(/\r$/, "");
    if (controls.test(line) || line.endsWith("\\")) return undefined;
    for (let found = header.exec(line); found !== null; found = header.exec(line)) {
      const [whole, name = "", subsection] = found;
      if (name.includes(".")) return undefined;
      section = { name: name.toLowerCase(), subsection };
      line = line.slice(whole.length);
    }
    if (/^[ \t]*(?:[#;].*)?$/.test(line)) continue;
    const [, key, value] = assignment.exec(line) ?? [];
    if (key === undefined || section === undefined) return undefined;
    settings.push({
      key: `${section.name}.${key.toLowerCase()}`,
      subsection: section.subsection,
      value: (value ?? "true").trim(),
    });
  }
  return settings;
}
