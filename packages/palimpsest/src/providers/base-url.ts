/** An address, under either of the names that people know it by. */
export interface BaseUrl {
  readonly baseUrl?: string;
  /** The same, as the official clients call it. At most one of the two. */
  readonly baseURL?: string;
}

/** Throws a `TypeError` where both are given and differ: nobody can know which one was meant. */
export function baseUrlOf({ baseUrl, baseURL }: BaseUrl): string | undefined {
  if (baseUrl !== undefined && baseURL !== undefined && baseUrl !== baseURL) {
    throw new TypeError("pass baseUrl or baseURL, not both");
  }
  return baseUrl ?? baseURL;
}
