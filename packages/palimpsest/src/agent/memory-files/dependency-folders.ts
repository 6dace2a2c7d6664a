/** Folders that hold what others wrote: packages, their copies and caches, and what version control keeps for itself. */
const dependencyFolders: ReadonlySet<string> = new Set(
  `node_modules bower_components jspm_packages vendor vendors third_party third-party thirdparty
   .venv venv virtualenv site-packages dist-packages __pypackages__ .tox .nox .eggs
   .pnpm .pnpm-store .yarn .npm .cargo .rustup .bundle .gradle .m2 .nuget .terraform
   pods carthage deps elm-stuff .dart_tool .pub-cache .stack-work .git .hg .svn`.split(/\s+/),
);

/** Names are compared as the most forgiving disk does. */
export const isDependencyFolder = (name: string): boolean =>
  dependencyFolders.has(name.normalize("NFKC").toLowerCase());
