/**
 * Variables that change how a program looks or speaks, not which programs run, what they load or where they look.
 * Everything else that is set in front of a command makes it unclear.
 */
export const harmlessVariables: ReadonlySet<string> = new Set(
  `CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES TZ LANG LC_ALL LC_CTYPE LC_COLLATE
   LC_MESSAGES LC_NUMERIC LC_TIME DEBUG VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE GOOS GOARCH CGO_ENABLED
   PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING RAILS_ENV RACK_ENV APP_ENV PORT DO_NOT_TRACK
   DISABLE_TELEMETRY NEXT_TELEMETRY_DISABLED`.split(/\s+/),
);
