/** The steps of opening a text, and which share of it all each takes, from its first to its last. */
const STEPS = {
  read: [0, 0.1],
  unpack: [0.1, 0.3],
  find: [0.3, 0.6],
  parse: [0.6, 0.75],
  group: [0.75, 0.95],
} as const;

/** So often it is told; not at all if it is faster. */
const EVERY_MS = 150;

let tell: ((done: number) => void) | undefined;
let [most, next] = [0, 0];

/** @param hear is told how much is done, from 0 to 1, until another one is */
export function tellProgress(hear: typeof tell): void {
  tell = hear;
  [most, next] = [0, performance.now() + 2 * EVERY_MS];
}

/** Loops say how far they are, every so many rows. Some run several times: then it stays where it was. */
export function progress(step: keyof typeof STEPS, done: number, of: number): void {
  if (!tell || performance.now() < next) return;
  const [from, to] = STEPS[step];
  most = Math.max(most, from + (to - from) * Math.min(1, done / of));
  next = performance.now() + EVERY_MS;
  tell(most);
}

/** Whether a row is one of those at which loops say how far they are. */
export const isMilestone = (row: number): boolean => (row & 0x3fff) === 0;
