import { renderPage, type RenderedPage } from "../../pages/render-page.js";

/** The page of the inspector, as a server sends it that it may ask. */
export const inspectorPage = (): RenderedPage =>
  renderPage({
    page: "inspector",
    title: "Palimpsest inspector",
    asksServer: true,
    withoutScript: "The inspector is drawn by its own script, which is switched off.",
  });
