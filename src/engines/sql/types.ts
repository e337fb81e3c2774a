import type { SqlDialect } from '../../layout/sql.js';
import type { Strategy } from '../../routing/router.js';
import type { ReadModule } from './clickhouse/module.js';

export type { Strategy };

/** The dialects of `shardbits sql`. */
export type DialectName = SqlDialect | 'duckdb' | 'sqlite' | 'spark';

export interface SqlRouting {
  readonly strategy: Strategy;
  /** 0 to 2^64 - 1. */
  readonly seed: bigint;
  /** Shards that get no keys, ascending. Only ClickHouse can have some. */
  readonly down: readonly number[];
  /** For what ClickHouse does not have. */
  readonly readModule: ReadModule;
}

/** A function of one argument, which is an expression. */
export interface SqlFunction {
  readonly name: string;
  readonly parameter: 'id' | 'instant';
  /** What it gives: `u64` is a field of 64 bits, and `fraction` has three decimals. */
  readonly returns: 'integer' | 'u64' | 'fraction' | 'id' | 'time';
  readonly body: string;
}

/** What a dialect calls the types of arguments and results. */
export type SqlTypes = { readonly [returns in SqlFunction['returns']]: string };

/** The name, the parameter and the result of a function. */
export function headOf({ name, parameter, returns }: SqlFunction, types: SqlTypes): string {
  return `${name}(${parameter} ${parameter === 'id' ? types.id : types.time}) returns ${types[returns]}`;
}

export interface SqlTimes {
  /** The dialect's own type of time, from an expression for whole Unix milliseconds, or microseconds. */
  fromMs(ms: string): string;
  fromUs(us: string): string;
  /** Whole Unix microseconds of `instant`, which has that type. */
  readonly toUs: string;
  /** A whole quotient of positive numbers. */
  divide(dividend: string, divisor: bigint): string;
  /** An id from units of time, shifted by some bits, and the bits of the other fields. */
  toId(units: string, shift: number, others: bigint): string;
}

/** What an engine's SQL can do, and how it is written. */
export interface Dialect {
  /** The engine's name, for comments and messages. */
  readonly title: string;
  /** What its functions can do, if not everything; the first one is the default. */
  readonly strategies?: readonly Strategy[];
  /** The seeds that its hash can have, if not all; the first one is the default. */
  readonly seeds?: readonly bigint[];
  /** The statements that make the functions of a routing. */
  routing(routing: SqlRouting): string;
  readonly times: SqlTimes;
  functions(functions: readonly SqlFunction[]): string;
  /** A text as a literal. */
  text(value: string): string;
  /** The statements that replace the rows of `shard_nodes`. */
  readonly map: {
    readonly begin: string;
    /** What stands before the rows, if it is another table or statement. */
    readonly insert?: string;
    /** How many rows a statement takes; 1,000 by default. */
    readonly batch?: number;
    /** A commit by default. */
    readonly end?: string;
  };
}
