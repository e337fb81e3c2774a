// Known ids of every layout. Each group says where it comes from; "recomputed" means: by integer
// arithmetic outside this library.

export type PresetName =
  | 'clientEntity'
  | 'pinterest'
  | 'ragedb'
  | 'snowflake'
  | 'twitter'
  | 'instagram'
  | 'discord'
  | 'mastodon'
  | 'sonyflake'
  | 'uidGenerator'
  | 'interned'
  | 'atproto'
  | 'tidb'
  | 'linkedin'
  | 'tsid'
  | 'cockroachdb'
  | 'hazelcast'
  | 'threads';

export interface KnownId {
  readonly layout: PresetName;
  readonly id: bigint;
  /** In the layout's order, most significant first. Timestamps are in the layout's units, as the sources have them. */
  readonly fields: { readonly [name: string]: number | bigint };
  /** When it was made, for layouts with a timestamp: the beginning of its unit of time, to the microsecond if need be. */
  readonly date?: string;
}

/** A date with three or six decimals in Unix milliseconds. */
function unixMs(date: string): number {
  const [, whole, micros = '0'] = /^(.*\.\d{3})(\d{3})?Z$/.exec(date) ?? [];
  return (Date.parse(`${whole}Z`) * 1000 + Number(micros)) / 1000;
}

/** The fields as `unpack` gives them: a timestamp in Unix milliseconds, where the sources have a date. */
export function unpackedFields({ fields, date }: KnownId): { [name: string]: number } {
  const unpacked = Object.entries(fields).map(([name, value]) => {
    return [name, name === 'timestamp' ? unixMs(date as string) : Number(value)];
  });
  return Object.fromEntries(unpacked);
}

/** The instant of the worked example below; several layouts have an id of it. */
export const INSTANT = '2024-03-01T10:30:15.500Z';

export const KNOWN_IDS: readonly KnownId[] = [
  // Attila Domokos, "Bit Shifting for a Shard ID in Ruby" (2017): client 22 bits, entity 40. The ends
  // of the range are recomputed; the article's 4_194_304 clients are one too many.
  // https://www.adomokos.com/2017/05/bit-shifting-for-shard-id-in-ruby.html
  { layout: 'clientEntity', id: 135239930216451n, fields: { client: 123, entity: 3 } },
  { layout: 'clientEntity', id: 4611686018427387903n, fields: { client: 4194303, entity: 1099511627775 } },

  // Pinterest Engineering, "Sharding Pinterest: How we scaled our MySQL fleet" (2015): a pin, its
  // board and its user.
  { layout: 'pinterest', id: 241294492511762325n, fields: { shard: 3429, type: 1, local: 7075733 } },
  { layout: 'pinterest', id: 241294561224164665n, fields: { shard: 3429, type: 2, local: 1337 } },
  { layout: 'pinterest', id: 241294629943640797n, fields: { shard: 3429, type: 3, local: 733 } },

  // ragedb/ragedb on GitHub, test/shard/Ids.cpp: internalToExternal(type, id) on shard 0.
  { layout: 'ragedb', id: 67109888n, fields: { local: 1, type: 1, shard: 0 } },
  { layout: 'ragedb', id: 134218752n, fields: { local: 2, type: 1, shard: 0 } },
  { layout: 'ragedb', id: 201328640n, fields: { local: 3, type: 2, shard: 0 } },
  { layout: 'ragedb', id: 268437504n, fields: { local: 4, type: 2, shard: 0 } },
  { layout: 'ragedb', id: 335547392n, fields: { local: 5, type: 3, shard: 0 } },

  // The worked examples of an article on a 64-bit id generator (epoch 2023-01-01, 41/10/12 bits). Its
  // count of milliseconds for the first is wrong (see article-numbers.test.ts); recomputed.
  {
    layout: 'snowflake',
    id: 154173452582932603n,
    fields: { timestamp: 36757815500n, shard: 5, sequence: 123 },
    date: INSTANT,
  },
  {
    layout: 'snowflake',
    id: 286435872092454913n,
    fields: { timestamp: 68291633628n, shard: 0, sequence: 1 },
    date: '2025-03-01T09:53:53.628Z',
  },

  // https://en.wikipedia.org/wiki/Snowflake_ID: a tweet of June 2022, machine 378 (= 11 << 5 | 26).
  {
    layout: 'twitter',
    id: 1541815603606036480n,
    fields: { timestamp: 367597485448n, datacenter: 11, worker: 26, sequence: 0 },
    date: '2022-06-28T16:07:40.105Z',
  },

  // Discord developer documentation, "Snowflakes", where it is taken apart step by step.
  {
    layout: 'discord',
    id: 175928847299117063n,
    fields: { timestamp: 41944705796n, worker: 1, process: 0, increment: 7 },
    date: '2016-04-30T11:18:25.796Z',
  },
  // README of discord-snowflake on npm: its timestamp is 1441609061949.
  {
    layout: 'discord',
    id: 90339695967350784n,
    fields: { timestamp: 21538661949n, worker: 0, process: 3, increment: 0 },
    date: '2015-09-07T06:57:41.949Z',
  },
  // README of @pcordjs/snowflake on npm.
  {
    layout: 'discord',
    id: 937847820382261308n,
    fields: { timestamp: 223600344749n, worker: 1, process: 5, increment: 60 },
    date: '2022-01-31T23:12:24.749Z',
  },

  // A public post's media id; layout and epoch: Instagram Engineering, "Sharding & IDs at Instagram" (2012).
  {
    layout: 'instagram',
    id: 2384288897814875714n,
    fields: { timestamp: 284229385592n, shard: 2675, sequence: 578 },
    date: '2020-08-26T13:43:27.313Z',
  },

  // The same instant, node 5, sequence 123, in the layouts of others; recomputed from their definitions:
  // twitter-archive/snowflake IdWorker.scala; Discord and Instagram as above; mastodon/mastodon
  // lib/mastodon/snowflake.rb; sony/sonyflake sonyflake.go; baidu/uid-generator DefaultUidGenerator.java.
  {
    layout: 'twitter',
    id: 1763512065323978875n,
    fields: { timestamp: 420454040843n, datacenter: 0, worker: 5, sequence: 123 },
    date: INSTANT,
  },
  {
    layout: 'discord',
    id: 1213070795866132603n,
    fields: { timestamp: 289218615500n, worker: 0, process: 5, increment: 123 },
    date: INSTANT,
  },
  {
    layout: 'instagram',
    id: 3314078921766474875n,
    fields: { timestamp: 395068993779n, shard: 5, sequence: 123 },
    date: INSTANT,
  },
  { layout: 'mastodon', id: 112019964919828603n, fields: { timestamp: 1709289015500n, tail: 0x507b }, date: INSTANT },
  {
    layout: 'sonyflake',
    id: 502912846195785733n,
    fields: { timestamp: 29975941550n, sequence: 123, machine: 5 },
    date: INSTANT,
  },
  {
    layout: 'uidGenerator',
    id: 8439281398547783803n,
    fields: { timestamp: 245615415n, worker: 5, sequence: 123 },
    date: '2024-03-01T10:30:15.000Z',
  },

  // jazco.dev, "Turning Billions of Strings into Integers Every Second Without Collisions" (2025), with
  // the 14-bit prefix it proposes: first and fifth of a prefix, and the last id of all; recomputed.
  { layout: 'interned', id: 41658296553177089n, fields: { prefix: 37, sequence: 1 } },
  { layout: 'interned', id: 41658296553177093n, fields: { prefix: 37, sequence: 5 } },
  { layout: 'interned', id: 18446744073709551615n, fields: { prefix: 16383, sequence: 1125899906842623 } },

  // obsidianforensics/unfurl unfurl/tests/unit/test_bluesky.py: the TIDs 3lbd2ebt3wk2r and 3laulgolrfz2f, with their
  // microseconds. The third is 3jzfcijpj2z2a of atproto.com/specs/tid, which the documentation of atex, in Elixir, decodes.
  {
    layout: 'atproto',
    id: 1773609364580352023n,
    fields: { timestamp: 1732040395098000n, clock: 23 },
    date: '2024-11-19T18:19:55.098Z',
  },
  {
    layout: 'atproto',
    id: 1773100373128903691n,
    fields: { timestamp: 1731543333133695n, clock: 11 },
    date: '2024-11-14T00:15:33.133695Z',
  },
  {
    layout: 'atproto',
    id: 1728652679052295174n,
    fields: { timestamp: 1688137381887007n, clock: 6 },
    date: '2023-06-30T15:03:01.887007Z',
  },

  // TiDB documentation, "TimeStamp Oracle (TSO) in TiDB", whose clock is two hours ahead of UTC.
  {
    layout: 'tidb',
    id: 443852055297916932n,
    fields: { timestamp: 1693161221687n, logical: 4 },
    date: '2023-08-27T18:33:41.687Z',
  },

  // obsidianforensics/unfurl unfurl/tests/unit/test_linkedin.py: a thread of messages.
  {
    layout: 'linkedin',
    id: 6685980502161199104n,
    fields: { timestamp: 1594061971226n, tail: 102400 },
    date: '2020-07-06T18:59:31.226Z',
  },

  // odan/tsid on GitHub, README.md, where its text is 0ARYZVZXW377R, recomputed; and f4b6a3/tsid-creator TsidTest.java,
  // testGetInstantMaximum: the last instant.
  {
    layout: 'tsid',
    id: 388400145978465528n,
    fields: { timestamp: 92601810927n, tail: 105720 },
    date: '2022-12-07T18:43:30.927Z',
  },
  {
    layout: 'tsid',
    id: 18446744073705357312n,
    fields: { timestamp: 4398046511103n, tail: 0 },
    date: '2159-05-15T07:35:11.103Z',
  },

  // CockroachDB documentation, "SHOW JOBS", v20.2: a schedule of backups with a job of it, recomputed. The schedule's first
  // backup is as of 2020-09-15 16:14:44.991631; the job was created at 16:20:18.347383, by a transaction that took longer.
  {
    layout: 'cockroachdb',
    id: 590204387299262465n,
    fields: { timestamp: 18011608499123n, node: 1 },
    date: '2020-09-15T16:14:44.991230Z',
  },
  {
    layout: 'cockroachdb',
    id: 590205481558802434n,
    fields: { timestamp: 18011641893274n, node: 2 },
    date: '2020-09-15T16:20:18.932740Z',
  },

  // hazelcast/hazelcast FlakeIdGeneratorProxyTest.java: test_timeMiddle (1516028439000) and test_timeHighEdge.
  {
    layout: 'hazelcast',
    id: 5300086112257234n,
    fields: { timestamp: 1263639000n, sequence: 0, node: 1234 },
    date: '2018-01-15T15:00:39.000Z',
  },
  {
    layout: 'hazelcast',
    id: 9223372036850582738n,
    fields: { timestamp: 2199023255551n, sequence: 0, node: 1234 },
    date: '2087-09-07T15:47:35.551Z',
  },

  // Public posts in the tests of extractors for yt-dlp, recomputed from their shortcodes, which are base64url: DI3mC0GxkYA
  // was published at 1745582191 (Enucatl/yt-dlp), and DU04gATDD4e at 1771261019 (yt-dlp/yt-dlp), 11 seconds later.
  {
    layout: 'threads',
    id: 3618528144770090496n,
    fields: { timestamp: 431362169357n, shard: 4497, sequence: 512 },
    date: '2025-04-25T11:56:31.078Z',
  },
  {
    layout: 'threads',
    id: 3833937672746581534n,
    fields: { timestamp: 457040986150n, shard: 783, sequence: 542 },
    date: '2026-02-16T16:56:47.871Z',
  },
];

/** The same article, with its 32-bit prefix: 37 << 32, + 5, 38 << 32. */
export const PREFIX_32_IDS = [
  { id: 158913789952n, prefix: 37, sequence: 0 },
  { id: 158913789957n, prefix: 37, sequence: 5 },
  { id: 163208757248n, prefix: 38, sequence: 0 },
] as const;

/**
 * ragedb/ragedb, test/shard/Ids.cpp, externalToInternal: the number is all that is asked of these
 * ids. They have type 0, RageDB's mark of an error.
 */
export const RAGEDB_TYPE_0_IDS = [
  { id: 67108864n, local: 1, shard: 0 },
  { id: 67108865n, local: 1, shard: 1 },
  { id: 67108866n, local: 1, shard: 2 },
  { id: 67108867n, local: 1, shard: 3 },
  { id: 134217728n, local: 2, shard: 0 },
] as const;

/**
 * ragedb/ragedb, test/shard/ShardIds.cpp, CalculateShardId. 99 and 1023 follow its author's words: ids
 * below 1024 are invalid, dealt with by shard 0 (maxdemarzi.com, "Let's build something Outrageous",
 * 2021). His code compares with 1023, so 1023 goes astray there.
 */
export const RAGEDB_SHARDS = [
  { id: 1n, shard: 0 },
  { id: 99n, shard: 0 },
  { id: 1023n, shard: 0 },
  { id: 1024n, shard: 0 },
  { id: 1025n, shard: 1 },
  { id: 65537n, shard: 1 },
  { id: 65538n, shard: 2 },
  { id: 65539n, shard: 3 },
] as const;

/**
 * The last instants, recomputed: 2^41 - 1 ms after 2023-01-01; 2^28 - 1 s after baidu/uid-generator's
 * epoch, 2016-05-20 in China. That of a TSID is in f4b6a3/tsid-creator TsidTest.java.
 */
export const EXPIRIES = [
  { layout: 'snowflake', date: '2092-09-06T15:47:35.551Z' },
  { layout: 'uidGenerator', date: '2024-11-20T13:24:15.000Z' },
  { layout: 'tsid', date: '2159-05-15T07:35:11.103Z' },
] as const;

/** The texts of ids above, as their sources have them. */
export const PRESET_TEXTS = [
  { layout: 'atproto', format: 'sortable32', text: '3lbd2ebt3wk2r', id: 1773609364580352023n },
  { layout: 'atproto', format: 'sortable32', text: '3laulgolrfz2f', id: 1773100373128903691n },
  { layout: 'atproto', format: 'sortable32', text: '3jzfcijpj2z2a', id: 1728652679052295174n },
  { layout: 'tsid', format: 'crockford32', text: '0ARYZVZXW377R', id: 388400145978465528n },
] as const;
