import type { SelectListTheme } from "@earendil-works/pi-tui";
import type { Theme } from "../theme.js";

/** The theme may change while a list is shown. */
export const selectTheme = (theme: () => Theme): SelectListTheme => ({
  selectedPrefix: (text) => theme().accent(text),
  selectedText: (text) => theme().bold(text),
  description: (text) => theme().dim(text),
  scrollInfo: (text) => theme().dim(text),
  noMatch: (text) => theme().dim(text),
});
