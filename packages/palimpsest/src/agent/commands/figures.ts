const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count, for a person. */
export const figure = (count: number): string => whole.format(count);

/** Money, for a person: cents, and more places where that would be nothing. */
export const dollars = (amount: number): string =>
  `$${amount === 0 || Math.abs(amount) >= 0.01 ? amount.toFixed(2) : amount.toFixed(4)}`;
