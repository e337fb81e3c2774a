import { checkOptions, checkSignal } from '../arguments.js';

/** Options for one call of an interner or a type registry. */
export interface CallOptions {
  /** Ends the call with the signal's reason. What the store has begun may still take effect. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws TypeError if an option is of the wrong kind; RangeError if it is unknown */
export function callOf(options: CallOptions | undefined): CallOptions {
  const call = checkOptions(options, ['signal']);
  if (call.signal !== undefined) checkSignal('signal', call.signal);
  return call;
}
