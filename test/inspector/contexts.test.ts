import { describe, expect, it } from 'vitest';
import { SERVICES } from '../../src/guess/index.js';
import { columnOfServices, contextsOf } from '../../src/inspector/decode/context/contexts.js';
import { Inputs } from '../../src/inspector/read/shape.js';

const A = '175928847299117063';
const B = '1541815603606036480';
const C = '286435872092454913';
const UUID = '01907370-e495-7000-8f3e-1a2b3c4d5e6f';

/** What a text says of its rows: `discord user!`, with `!` for a fact; '' for nothing. */
function contextsIn(text: string, column = '', beside?: string): string[] {
  const data = new TextEncoder().encode(text);
  const inputs = new Inputs([{ name: '', bytes: data.length, data }]);
  const names = beside === undefined ? undefined : inputs.read(beside).cells;
  const { all, of } = contextsOf(inputs.read(column || undefined).cells, column, names);
  return Array.from(of, (place) => {
    const { service, role, isFact } = all[place];
    return `${service?.name ?? ''} ${role}`.trim() + (isFact ? '!' : '');
  });
}

describe('links and mentions of Discord say what their ids are', () => {
  it.each<[string, string[]]>([
    [`https://discord.com/channels/${A}/${B}/${C}`, ['discord server!', 'discord channel!', 'discord message!']],
    [`see ptb.discord.com/channels/${A}/${B}`, ['discord server!', 'discord channel!']],
    [`https://discord.com/channels/@me/${A}/${B}`, ['discord channel!', 'discord message!']],
    [`https://cdn.discordapp.com/attachments/${A}/${B}/a.png?ex=6`, ['discord channel!', 'discord attachment!']],
    [`https://cdn.discordapp.com/avatars/${A}/a_0123.png`, ['discord user!']],
    [`https://cdn.discordapp.com/icons/${A}/a.png`, ['discord server!']],
    [`https://cdn.discordapp.com/emojis/${A}.webp`, ['discord emoji!']],
    [`https://discord.com/api/webhooks/${A}/token`, ['discord webhook!']],
    [`https://discord.com/users/${A}`, ['discord user!']],
    [`hi <@${A}>, <@!${B}>`, ['discord user!', 'discord user!']],
    [`<@&${A}> in <#${B}>`, ['discord role!', 'discord channel!']],
    [`<:wave:${A}> <a:dance_2:${B}>`, ['discord emoji!', 'discord emoji!']],
    [`use </ban:${A}>`, ['discord command!']],
  ])('%s', (text, contexts) => {
    expect(contextsIn(text)).toEqual(contexts);
  });

  it('and paths like those in other links do not', () => {
    expect(contextsIn(`https://example.com/channels/${A}/${B}`)).toEqual(['', '']);
    expect(contextsIn(`https://x.com/users/${A}`)).toEqual(['twitter!']);
  });
});

describe('links say the service by their host', () => {
  it.each<[string, string[]]>([
    [`https://x.com/discord/status/${A}`, ['twitter!']],
    [`twitter.com/a/status/${A}/photo/1`, ['twitter!']],
    [`https://www.tiktok.com/@a/video/${A}?lang=en`, ['tiktok!']],
    [`https://mastodon.social/@a/${A}`, ['mastodon!']],
    [`https://www.linkedin.com/posts/a-activity-${A}`, ['linkedin!']],
    [`https://www.instagram.com/p/DItX5KfIw3Z/ of ${A}`, ['instagram!', '']],
    [`at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l4omssdl632g`, ['atproto!']],
    [`https://example.com/x.com/${A}`, ['']],
    [`https://example.com/?from=twitter&id=${A}`, ['']],
    [`mail me@x.com/${A}`, ['']],
  ])('%s', (text, contexts) => {
    expect(contextsIn(text)).toEqual(contexts);
  });

  it.each<[string, string[]]>([
    [`https://x.com/intent/tweet?in_reply_to=${A}`, ['twitter!']],
    [`https://platform.twitter.com/embed/Tweet.html?id=${A}`, ['twitter']], // anybody's parameter
    [`https://discord.com/invite/a?utm_id=${A}`, ['']],
    [`https://www.tiktok.com/@a/video/${A}?seconds=${B}`, ['tiktok!', '']],
    [`https://nitter.net/a/status/${A} https://xcancel.com/a/status/${B}`, ['twitter!', 'twitter!']],
  ])('of a parameter only where it can have an id: %s', (text, contexts) => {
    expect(contextsIn(text)).toEqual(contexts);
  });

  it('of each id in a line the link that it is in', () => {
    expect(contextsIn(`https://x.com/a/status/${A} <@${B}> and ${C}`)).toEqual(['twitter!', 'discord user!', '']);
    expect(contextsIn(`https://x.com/a/status/${A},https://discord.com/users/${B}`)).toEqual([
      ...['twitter!', 'discord user!'],
    ]);
  });

  it('however long the lines before it', () => {
    expect(contextsIn(`${'x'.repeat(5000)} https://x.com/a/status/${A}`)).toEqual(['twitter!']);
    expect(contextsIn(`https://x.com/\n${A} of today`)).toEqual(['', '']);
  });
});

describe('what is said of one id', () => {
  /** The services that are named, of the lines with ids. */
  const servicesIn = (text: string) =>
    contextsIn(text)
      .map((said) => said.split(' ')[0])
      .filter((name) => SERVICES.some((service) => service.name === name.replace('!', '')));

  it.each<[string, string[]]>([
    [`discord_ids: [${A}, ${B}, "${C}"]`, ['discord', 'discord', 'discord']],
    [`linkedin ids: ${A} ${B}`, ['linkedin', 'linkedin']],
    [`https://x.com/a/status/${A}, ${B}`, ['twitter!']],
  ])('holds for all of a list: %s', (text, services) => {
    expect(servicesIn(text)).toEqual(services);
  });

  it.each<[string, string[]]>([
    [`${A} twitter, ${B} discord, ${C} mastodon`, ['twitter', 'discord', 'mastodon']],
    [`tweet ${A}, ${B} on Mastodon`, ['twitter', 'mastodon']],
    [`<a service="twitter" id="${A}"/><a service="mastodon" id="${B}"/>`, ['twitter', 'mastodon']],
    [`the tweet ${A} and the message ${B}`, ['twitter']],
  ])('ends where another thing is named: %s', (text, services) => {
    expect(servicesIn(text)).toEqual(services);
  });

  it.each<[string, string[]]>([
    [`service = "discord"\nid = ${A}\n\nservice = "twitter"\nid = ${B}`, ['discord', 'twitter']],
    [`- platform: tiktok\n  post: ${A}\n- platform: linkedin\n  post: ${B}`, ['tiktok', 'linkedin']],
    [`id: ${A}\nserver: discord\nid: ${B}\nserver: mastodon.social`, ['discord', 'mastodon']],
    [`server: discord\nid: ${A}\n\nid: ${B}`, ['discord']],
    [`Twitter\n=======\nid: ${A}\n\nMastodon\n========\nid: ${B}`, ['twitter', 'mastodon']],
  ])('holds for all of a record: %s', (text, services) => {
    expect(servicesIn(text)).toEqual(services);
  });
});

describe('names say what ids are called', () => {
  it.each<[string, string[]]>([
    [`user_id=${A}`, ['user_id']],
    [`"author": "${A}", x`, ['author']],
    [`tweet_id: ${A}`, ['twitter tweet_id']],
    [`guild='${A}'`, ['discord guild']],
    [`order.id = ${A}`, ['order.id']],
    [`urn:li:activity:${A} x`, ['linkedin urn:li:activity!']],
    [`a => ${A}`, ['']],
    [`x; 12 = ${A} y`, ['']],
    [`trace=${UUID} user=${A}`, ['trace', 'user']],
  ])('%s', (text, contexts) => {
    expect(contextsIn(text)).toEqual(contexts);
  });

  it('whole, or not at all, in letters that are not of ASCII', () => {
    expect(['', 'größe']).toContain(contextsIn(`größe=${A} x`)[0]);
  });

  it('words do if several rows have them', () => {
    const lines = [A, B, C].map((id) => `saved user ${id} again`);
    expect(contextsIn(lines.join('\n'))).toEqual(['user', 'user', 'user']);
    expect(contextsIn(lines.slice(1).join('\n'))).toEqual(['', '']);
    const many = Array.from({ length: 100 }, (_, i) => `x=${BigInt(A) + BigInt(i)}`);
    expect(contextsIn([...many, ...lines].join('\n')).slice(-3)).toEqual(['', '', '']);
  });

  it('a word that names a service does also once', () => {
    expect(contextsIn(`the tweet ${A} of today`)).toEqual(['twitter tweet']);
  });

  it('more than sixty of them tell nothing apart', () => {
    const names = contextsIn(Array.from({ length: 100 }, (_, i) => `job${i}=${BigInt(A) + BigInt(i)}`).join('\n'));
    expect(names.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, i) => `job${i}`));
    expect(new Set(names.slice(60))).toEqual(new Set(['']));
  });

  it('of many rows with a name each, every row has its own or none', () => {
    const rows = 66_000;
    const names = contextsIn(Array.from({ length: rows }, (_, i) => `job${i}=${BigInt(A) + BigInt(i)}`).join('\n'));
    expect(names.findIndex((name, i) => name !== '' && name !== `job${i}`)).toBe(-1);
  });
});

describe('of a table', () => {
  it('the name of the column says the service of all rows, and links more', () => {
    expect(contextsIn(`n,tweet_id\n1,${A}\n2,${B}`, 'tweet_id')).toEqual(['twitter', 'twitter']);
    expect(contextsIn(`n,tweet\n1,${A}\n2,https://discord.com/users/${B}`, 'tweet')).toEqual([
      ...['twitter', 'discord user!'],
    ]);
  });

  it('another column says the service of each row', () => {
    const table = `id,app\n${A},Twitter\n${B},discord\n${C},other`;
    expect(contextsIn(table, 'id', 'app')).toEqual(['twitter', 'discord', '']);
    expect(contextsIn(`tweet_id,app\n${A},Discord\n${B},other`, 'tweet_id', 'app')).toEqual(['discord', 'twitter']);
  });

  it('rows that are not ids say nothing', () => {
    expect(contextsIn(`tweet_id,n\n${A},1\n,2`, 'tweet_id')).toEqual(['twitter', 'twitter']);
  });

  it('the column of services has several of them, in most rows', () => {
    const twitter = ['twitter', 'x.com', 'Twitter'];
    const mixed = ['twitter', 'discord', 'other'];
    expect(columnOfServices([['1', '2', '3'], twitter, mixed])).toBe(2);
    expect(columnOfServices([['1', '2', '3'], twitter])).toBe(1);
    expect(columnOfServices([['twitter', 'twitter', 'a']])).toBe(-1);
    expect(columnOfServices([['twitter', 'discord', 'a', 'b']])).toBe(-1);
    expect(columnOfServices([['I left twitter for good today', 'discord, which is better']])).toBe(-1);
    expect(columnOfServices([])).toBe(-1);
  });
});
