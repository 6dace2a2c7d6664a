export { createTelemetry, type SeenCall, type Telemetry, type TelemetryOptions } from "./create-telemetry.js";
