/** What a program that ran somewhere says of itself. */
export interface Outcome {
  /** What ran it, in its own words. */
  readonly version: string;
  readonly backend: string;
  readonly checks: number;
  readonly failures: readonly string[];
}

type ErrorClass = new (...of: never[]) => Error;

/** Counts what holds, and keeps what does not: where there is no test runner. */
export class Checks {
  count = 0;
  readonly failures: string[] = [];

  same(what: string, actual: unknown, expected: unknown): void {
    this.count++;
    const [is, ought] = [text(actual), text(expected)];
    if (is !== ought) this.failures.push(`${what}: ${is.slice(0, 200)}, not ${ought.slice(0, 200)}`);
  }

  /**
   * That it fails, now or later, with an error of this class, name (bundlers shorten that of the class) and code. By
   * default the code is the one for a wrong argument.
   */
  async fails(what: string, call: () => unknown, kind: ErrorClass, named: string = kind.name, code = CODES[named]) {
    let error: unknown;
    try {
      await call();
    } catch (caught) {
      error = caught;
    }
    const { name, code: is } = (error ?? {}) as { name?: string; code?: string };
    this.same(what, [error instanceof kind, name, is], [true, named, code]);
  }
}

const CODES: { readonly [name: string]: string } = {
  TypeError: 'ERR_INVALID_ARG_TYPE',
  RangeError: 'ERR_OUT_OF_RANGE',
};

/** A value as text: numbers apart from bigints, arrays with their type. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (each === undefined) return 'undefined';
    if (ArrayBuffer.isView(each)) return `${each.constructor.name} ${each}`;
    return each;
  });
}
