/** 1, 2 or 5 with zeros. */
export function tickOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least)!;
}
