// The statements that install the module of assembly/clickhouse/ in ClickHouse, and make functions of it.
//
// ClickHouse passes arguments and results in a format. RowBinary has them row by row, which takes 17 to 26 ns a row more than
// columns in the format Buffers. But the columns of texts in Buffers depend on the protocol of the client that sends a query
// (`src/Formats/BuffersWriter.cpp` in ClickHouse), while RowBinary is documented, and the same for all clients.

/** Reads the file `shardbits/clickhouse.wasm`. */
export type ReadModule = () => Uint8Array;

export type ModuleFunction = keyof typeof FUNCTIONS;

const TEXT_HASH = ['key String', 'UInt32'] as const;
const ROUTED = ['key String, router UInt128', 'UInt32'] as const;
const ROUTED_U64 = ['key UInt64, router UInt128', 'UInt32'] as const;
const AROUND = ['key String, router UInt128, down Array(UInt32)', 'UInt32'] as const;
const AROUND_U64 = ['key UInt64, router UInt128, down Array(UInt32)', 'UInt32'] as const;

/** The arguments and the result of each function: see assembly/clickhouse/index.ts. */
export const FUNCTIONS = {
  xxh64: ['key String, seed UInt64', 'UInt64'],
  xxh64_u64: ['key UInt64, seed UInt64', 'UInt64'],
  jump: ROUTED,
  fastrange: ROUTED,
  modulo: ROUTED,
  jump_u64: ROUTED_U64,
  fastrange_u64: ROUTED_U64,
  modulo_u64: ROUTED_U64,
  jump_down: AROUND,
  fastrange_down: AROUND,
  modulo_down: AROUND,
  jump_down_u64: AROUND_U64,
  fastrange_down_u64: AROUND_U64,
  modulo_down_u64: AROUND_U64,
  fnv1a: TEXT_HASH,
  crc16: TEXT_HASH,
  murmur2_kafka: TEXT_HASH,
  murmur3_spark: TEXT_HASH,
  murmur3_hive: TEXT_HASH,
  murmur3_utf16: TEXT_HASH,
  java_hash: TEXT_HASH,
  lookup3_citus: TEXT_HASH,
  lookup3_postgres: ['key String', 'UInt64'],
} as const;

export function nameInClickHouse(name: ModuleFunction): string {
  return `shardbits_${name}`;
}

const INTRODUCTION = `-- EXPERIMENTAL: a part runs as WebAssembly in the server. That is an experiment of ClickHouse, too: its interface may
-- change, and ClickHouse Cloud does not have it. This was tested with ClickHouse 26.7. The configuration of the server needs
--   <allow_experimental_webassembly_udf>true</allow_experimental_webassembly_udf>
--   <webassembly_udf_engine>wasmtime</webassembly_udf_engine>`;

/**
 * The statements that install the module, and those of its functions that are named. ClickHouse keeps a module under its name
 * and refuses another one, so the name has the module's version.
 */
export function moduleSql(readModule: ReadModule, names: readonly ModuleFunction[]): string {
  const module = readModule();
  // assembly/build.mjs puts the version at its end.
  const file = `shardbits_${new TextDecoder().decode(module.subarray(-8))}`;
  // Text in base64 is far below the 256 KiB that a statement may have.
  const code = Buffer.from(module).toString('base64');
  const install = `insert into system.webassembly_modules (name, code) select '${file}', base64Decode('${code}');`;
  const functions = names.map((name) => {
    const [parameters, returns] = FUNCTIONS[name];
    // Without a limit of instructions, which a block of long texts would reach: every loop ends with the rows.
    return `create or replace function ${nameInClickHouse(name)} language WASM from '${file}' :: '${name}'
  arguments (${parameters}) returns ${returns} abi BUFFERED_V1 deterministic
  settings serialization_format = 'RowBinary', webassembly_udf_enable_fuel = false;`;
  });
  return [INTRODUCTION, install, ...functions].join('\n');
}
