export { createTelemetry, type Telemetry, type TelemetryOptions } from "./create-telemetry.js";
