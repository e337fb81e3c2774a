import { describe, expect, it } from 'vitest';
import { layoutSql, mapSql, placingSql, routingSql } from '../../../src/engines/sql/index.js';
import { layouts } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { partitionerNamed, systems } from '../../../src/partitioners/index.js';

const map = ShardMap.create({ shards: 4, nodes: [{ name: 'a' }] });

describe('the functions of shardbits/sql', () => {
  it.each<[call: string, argument: string, name: string, call: () => unknown]>([
    ['routingSql', 'dialect', 'RangeError', () => routingSql('oracle' as never, { shards: 4 })],
    ['routingSql', 'options', 'TypeError', () => routingSql('postgres', undefined as never)],
    ['routingSql', 'shards', 'RangeError', () => routingSql('postgres', { shards: 0 })],
    ['routingSql', 'strategy', 'RangeError', () => routingSql('spark', { shards: 4, strategy: 'jump' })],
    ['layoutSql', 'dialect', 'TypeError', () => layoutSql(5 as never, layouts.discord, 'discord')],
    ['layoutSql', 'layout', 'TypeError', () => layoutSql('mysql', {} as never, 'discord')],
    ['layoutSql', 'name', 'TypeError', () => layoutSql('mysql', layouts.discord, undefined as never)],
    ['mapSql', 'dialect', 'RangeError', () => mapSql('' as never, map)],
    ['mapSql', 'map', 'TypeError', () => mapSql('mysql', map.toJSON() as never)],
    [
      'placingSql',
      'variant.word',
      'RangeError',
      () => placingSql(systems.nginx, partitionerNamed('redis'), () => new Uint8Array()),
    ],
  ])('%s refuses a wrong %s at once', (_call, argument, name, call) => {
    expect(call).toThrow(expect.objectContaining({ argument, name }));
  });

  it('say that the module for ClickHouse is missing', () => {
    expect(() => routingSql('clickhouse', { shards: 4, seed: 7n })).toThrow('the module for ClickHouse was not given');
  });
});
