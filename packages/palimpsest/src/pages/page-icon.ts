/** Lines of which some shine through from below. */
const svg = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">`,
  `<rect x="1" y="1" width="14" height="14" rx="3" fill="#efe6d2"/>`,
  `<path d="M4 5h8M4 8h5M4 11h7" stroke="#5b4a2f" stroke-width="1.5"/>`,
  `<path d="M5 6.5h7M4 9.5h8" stroke="#b9a67f" stroke-width="1"/>`,
  `</svg>`,
].join("");

/** In the page itself: without one, a browser asks the server for an icon, or a folder. */
export const pageIcon = `data:image/svg+xml,${encodeURIComponent(svg)}`;
