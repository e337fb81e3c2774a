/** How many rows the programs of `npm run verify` compare: a million, or `ROWS=…` of them. */
export const ROWS = Number(process.env.ROWS ?? 1_000_000);
