interface Shown {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const NAME_WIDTH = 56;
const VALUE_WIDTH = 12;

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const money = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const precise = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });

/** One line of a table, without its end: name, value, unit. */
export function formatFigure({ name, value, unit }: Shown): string {
  const shown = formatValue(value, unit).padStart(VALUE_WIDTH);
  return `${name.padEnd(NAME_WIDTH)} ${shown} ${unit}`.trimEnd();
}

function formatValue(value: number, unit: string): string {
  if (unit === "$") return money.format(value);
  return Math.abs(value) >= 1000 ? whole.format(value) : precise.format(value);
}
