import { wrongKind } from '../arguments.js';

/** Checks an instant from the user's code, in Unix milliseconds. */
export function checkInstant(argument: string, unixMs: number): number {
  if (typeof unixMs !== 'number' || Number.isNaN(unixMs)) throw wrongKind(argument, 'Unix milliseconds', unixMs);
  return unixMs;
}

/** An instant as a message shows it. What a Date cannot hold is shown in milliseconds. */
export function showInstant(unixMs: number): string {
  return new Date(unixMs).toJSON() ?? `${unixMs} ms`;
}
