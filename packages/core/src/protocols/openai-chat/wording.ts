/** Every sentence that encoding may put into a request of its own. */

export const ERROR_RESULT_NOTE = "[The tool reported an error.]";
export const UNREADABLE_SUMMARY_NOTE = "[A summary that only its provider can read was left out.]";
export const SUMMARY_NOTE = "[Summary of the conversation so far]";
export const RESULT_IMAGES_NOTE = "[Images from the tool results above]";

export const leftOut = (what: string): string => `[${what} left out: this server cannot take it]`;
export const imagesBelow = (count: number): string =>
  count === 1 ? "[1 image, shown below]" : `[${count} images, shown below]`;
