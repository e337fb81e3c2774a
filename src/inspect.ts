/** The name under which `console.log` of Node.js, Deno and Bun finds how to show an object. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** An object as a name and what is in it, as `console.log` shows others. */
export function inspectAs(
  name: string,
  shown: object,
  [, options, inspect]: readonly [
    depth: number,
    options: object,
    inspect?: (value: unknown, options: object) => string,
  ],
): string {
  return `${name} ${inspect ? inspect(shown, options) : JSON.stringify(shown)}`;
}
