import { computed, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEY = "palimpsest-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const preferred = signal<Theme>(dark.matches ? "dark" : "light");
const chosen = signal<Theme | null>(null);

/** What is shown now: what the person chose, else what their system prefers. */
export const theme = computed<Theme>(() => chosen.value ?? preferred.value);

/** Pages without storage (a file that is opened) remember nothing. */
const remembered = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

const apply = (value: Theme | null): void => {
  chosen.value = value;
  if (value === null) document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", value);
};

export function startTheme(): void {
  const before = remembered();
  if (before === "light" || before === "dark") apply(before);
  dark.addEventListener("change", ({ matches }) => {
    preferred.value = matches ? "dark" : "light";
  });
}

export function toggleTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  apply(next === preferred.value ? null : next);
  try {
    if (next === preferred.value) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // It holds as long as the page is open.
  }
}
