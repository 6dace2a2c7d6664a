import { theme, toggleTheme } from "./theme.js";

export function ThemeSwitch() {
  return (
    <button type="button" id="theme" onClick={toggleTheme}>
      {theme.value === "dark" ? "Light colours" : "Dark colours"}
    </button>
  );
}
