/** What `find` may be asked, and whether a word follows that is no file. */
const plain: ReadonlySet<string> = new Set(
  `( ) ! , -not -a -and -o -or -true -false -empty -print -print0 -prune -quit -ls -depth -xdev -mount -daystart
   -readable -writable -executable -nouser -nogroup -noleaf`.split(/\s+/),
);
const withWord: ReadonlySet<string> = new Set(
  `-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -size -mtime -mmin
   -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf`.split(
    /\s+/,
  ),
);
const withDate = /^-newer[aBcm]t$/;
const withFile: ReadonlySet<string> = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** The files that an expression of `find` names; undefined for one that could do more than list names. */
export function filesOfExpression(expression: readonly string[]): readonly string[] | undefined {
  const files: string[] = [];
  for (let at = 0; at < expression.length; at += 1) {
    const word = expression[at] ?? "";
    if (plain.has(word)) continue;
    const value = expression[at + 1];
    at += 1;
    if (value === undefined) return undefined;
    if (withFile.has(word)) files.push(value);
    else if (!withWord.has(word) && !withDate.test(word)) return undefined;
  }
  return files;
}
