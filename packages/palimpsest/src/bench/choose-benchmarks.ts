interface Named {
  readonly name: string;
}

/** Whether a benchmark of that name may have figures whose names begin so. */
const mayHave = (name: string, prefix: string): boolean =>
  prefix !== "" && (name.startsWith(prefix) || prefix.startsWith(`${name}.`));

export type Chosen<Benchmark> =
  | { readonly kind: "chosen"; readonly benchmarks: readonly Benchmark[] }
  | { readonly kind: "unknown"; readonly prefix: string };

/** Those whose figures may begin with one of the prefixes, in their order. All of them without prefixes. */
export function chooseBenchmarks<Benchmark extends Named>(
  all: readonly Benchmark[],
  prefixes: readonly string[] | undefined,
): Chosen<Benchmark> {
  if (prefixes === undefined) return { kind: "chosen", benchmarks: all };
  const unknown = prefixes.find((prefix) => !all.some(({ name }) => mayHave(name, prefix)));
  if (unknown !== undefined) return { kind: "unknown", prefix: unknown };
  const benchmarks = all.filter(({ name }) => prefixes.some((prefix) => mayHave(name, prefix)));
  return { kind: "chosen", benchmarks };
}
