import { render } from "preact";
import { startTheme } from "../../../web/theme.js";
import type { ReportFile, ReportOverview } from "../report-data.js";
import { Report } from "./report.js";

const read = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? "null");

startTheme();
const place = document.getElementById("page");
if (place !== null) {
  render(
    <Report
      title={document.title}
      overview={read("report-overview") as ReportOverview}
      readFile={(index) => read(`report-file-${index}`) as ReportFile}
    />,
    place,
  );
}
