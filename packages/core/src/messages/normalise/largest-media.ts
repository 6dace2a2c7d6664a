const MEGABYTE = 1_048_576;

/** What the API refuses whatever else is in the request: pixels of an edge, and characters of the data. */
export const LARGEST_EDGE = 8000;
export const LARGEST_IMAGE = 10 * MEGABYTE;
export const LARGEST_DOCUMENT = 32 * MEGABYTE;

/** How far a size is beyond a limit, for people: the two never read alike. */
export function describeExcess(bytes: number, limit: number): string {
  if (limit < MEGABYTE) return `${bytes} bytes, the limit is ${limit}`;
  const hundredths = [Math.ceil((bytes / MEGABYTE) * 100), Math.floor((limit / MEGABYTE) * 100)] as const;
  return `${hundredths[0] / 100} MB, the limit is ${hundredths[1] / 100}`;
}
