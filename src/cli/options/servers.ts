import type { RingServer } from '../../partitioners/index.js';
import type { CliCommand } from './command.js';
import { checkOneStdin, textOf } from './map.js';
import type { AsSystem, RoutingOptions } from './routing.js';
import { path, refuse, shown, UsageError } from './usage.js';

/** How servers are written, for help. */
export const SERVERS = 'each on a line as NAME or as NAME,WEIGHT, in their order';

/** The options of a ring of servers. */
export interface ServersOptions extends RoutingOptions {
  servers?: string;
  shards?: number;
}

export function withServers(command: CliCommand): CliCommand {
  return command.option('--servers <file>', `the servers of --as ketama or nginx, ${SERVERS}`, path);
}

/** A system on a ring with its servers, if the options name one; they are checked against the other options. */
export async function ringFor(options: ServersOptions, files: readonly string[]): Promise<AsSystem | undefined> {
  const { as, servers: where } = options;
  if (as === undefined || !as.hasServers) {
    refuse(options, ['servers'], 'requires --as ketama or --as nginx');
    return undefined;
  }
  if (where === undefined) throw new UsageError(`--as ${as.system} requires --servers`);
  refuse(options, ['shards'], `cannot be combined with --as ${as.system}, which has --servers`);
  checkOneStdin({ FILE: files.length === 0 || files.includes('-') ? '-' : '', '--servers': where });
  return { ...as, servers: await readServers(where) };
}

/** Reads servers from a file. @throws Error that names the line of one that is malformed */
export async function readServers(where: string): Promise<RingServer[]> {
  const lines = (await textOf(where)).split(/\r?\n/).map((line) => line.trim());
  const names = new Set<string>();
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const { name, weight } = SERVER.exec(line)?.groups ?? {};
    const problem = (expected: string) => new Error(`${where}:${i + 1}: expected ${expected}, got ${shown(line)}`);
    if (name === undefined) throw problem('NAME or NAME,WEIGHT');
    if (weight !== undefined && Number(weight) === 0) throw problem('a weight of 1 or more');
    if (names.has(name)) throw problem('a name that no line before has');
    names.add(name);
    return [{ name, ...(weight !== undefined && { weight: Number(weight) }) }];
  });
}

const SERVER = /^(?<name>[^\s,]+)(?:(?:\s*,\s*|\s+)(?<weight>\d{1,10}))?$/;
