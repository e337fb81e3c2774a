/** Cases of a table, of which the quick run has every third and the sweep the others. */
export type Part = <const T>(cases: readonly T[]) => T[];

export const quick: Part = (cases) => cases.filter((_, i) => i % 3 === 0);
export const sweep: Part = (cases) => cases.filter((_, i) => i % 3 !== 0);
