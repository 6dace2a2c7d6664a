/** Settings of the engine that are changed one at a time: what each tier and each default buys. */
const variants = [
  "compactEarly=false",
  "clearEagerly=true",
  "disableClearing=true",
  "compactFork=false",
  ...[0, 2, 5].map((value) => `restoreFiles=${value}`),
  "compactNamesTokens=0",
  ...[0, 5000, 10_000, 20_000, 40_000].map((value) => `keepRecentTokens=${value}`),
  ...["5m", "1h", "auto"].map((value) => `cacheTtl=${value}`),
  ...[0.5, 0.8].map((value) => `clearSizeBelow=${value}`),
  "notes=true",
];

/** The curve of cost against recall: how long a compaction ahead of the limit is put off. */
const patience = [0.7, 0.85, 1, 1.15, 1.25, 1.3, 1.5, 2, 3].map((value) => `compactEarlyPatience=${value}`);

/** As policies, the engine as it comes first. */
export const sweptPolicies = ["palimpsest", ...[...variants, ...patience].map((one) => `palimpsest(${one})`)];
