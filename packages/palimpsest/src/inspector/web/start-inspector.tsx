import { render } from "preact";
import { startTheme } from "../../web/theme.js";

startTheme();
const place = document.getElementById("page");
if (place !== null) render(<main />, place);
