import { isTransferable } from '../../routing/routing.js';

/** Options for another thread: plain data, and the JSON of each routing. */
export interface SentOptions {
  readonly plain: object;
  readonly routings: { readonly [name: string]: object };
}

/** @param options plain data, and routings that are transferable */
export function sent(options: object): SentOptions {
  const entries = Object.entries(options);
  const isRouting = (value: unknown) => typeof value === 'object' && value !== null && isTransferable(value as never);
  const routings = entries.filter(([, value]) => isRouting(value)).map(([name, value]) => [name, value.toJSON()]);
  const plain = entries.filter(([, value]) => !isRouting(value));
  return { plain: Object.fromEntries(plain), routings: Object.fromEntries(routings) };
}
