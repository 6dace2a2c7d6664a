/** How a policy looks in every chart and legend: classes of the style sheet. */
export interface PolicyStyle {
  readonly hue: string;
  readonly dash: string;
}

/**
 * One hue for each policy; the same policy with other lifetimes (`{name}@1h`) has its hue, dashed. Where hues run
 * out they come again with another dash.
 */
export function createPolicyStyles(names: readonly string[]): (name: string) => PolicyStyle {
  const hues = 8;
  const plain = (name: string): string => name.replace(/@[^@]*$/, "");
  const bases = [...new Set(names.map(plain))];
  return (name) => {
    const place = Math.max(0, bases.indexOf(plain(name)));
    const again = Math.floor(place / hues);
    return {
      hue: `hue-${place % hues}`,
      dash: `dash-${Math.min(3, again * 2 + (plain(name) === name ? 0 : 1))}`,
    };
  };
}
