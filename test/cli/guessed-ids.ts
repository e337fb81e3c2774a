import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '../support/cli.js';

const LABELLED: { id: string; service: string }[] = JSON.parse(readFileSync('test/vectors/labelled-ids.json', 'utf8'));

/** Ids that people have published. */
export const idsOf = (service: string) => LABELLED.filter((one) => one.service === service).map(({ id }) => id);

export const DISCORD = idsOf('discord');
export const GUESS = 'guessed layout: discord; also: twitter, instagram, uidGenerator, pinterest\n';

/** A folder in which a file has Discord ids, one on each line, and others have them in other ways. */
export function folderOfIds(): string {
  const folder = temporaryFolder();
  const lines = `${DISCORD.join('\n')}\n`;
  writeFileSync(join(folder, 'ids.txt'), lines);
  writeFileSync(join(folder, 'ids.gz'), gzipSync(lines));
  writeFileSync(join(folder, 'empty'), '');
  return folder;
}
