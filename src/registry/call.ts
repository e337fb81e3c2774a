import { checkOptions, checkSignal } from '../arguments.js';

/** For one call of an interner or a type registry. */
export interface CallOptions {
  /** Ends the call with the signal's reason. What the store has begun may still be done. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws TypeError or RangeError for options of the wrong kind or unknown */
export function callOf(options: CallOptions | undefined): CallOptions {
  const call = checkOptions(options, ['signal']);
  if (call.signal !== undefined) checkSignal('signal', call.signal);
  return call;
}
