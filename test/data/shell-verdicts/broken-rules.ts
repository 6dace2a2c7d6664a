/** Rules that cannot be meant: nothing runs, rather than everything. */
export const brokenRules: readonly { readonly flag: string; readonly rule: string }[] = [
  { flag: "--allowed-tools", rule: "Bash(npm" },
  { flag: "--allowed-tools", rule: "Bash(npm test:*" },
  { flag: "--allowed-tools", rule: "Bash)" },
  { flag: "--allowed-tools", rule: "Bash(echo:*),Bash(npm" },
  { flag: "--allowed-tools", rule: "Bash (npm:*)" },
  { flag: "--disallowed-tools", rule: "Bahs(touch:*)" },
  { flag: "--disallowed-tools", rule: "Bash(touch:*" },
  { flag: "--disallowed-tools", rule: "bash(touch:*)" },
];
