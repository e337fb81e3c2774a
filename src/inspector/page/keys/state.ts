import type { RoutedKeys } from '../../decode/keys/plan.js';
import type { KeySource } from '../../decode/keys/read.js';
import { type PlanSettings, ROUTED_BY, routingsOf, SideProblem } from '../../decode/keys/routing.js';
import { DEFAULTS, initially } from '../../decode/settings.js';
import { download, page, set, update } from '../state.js';
import { connectKeys, type KeysAnswer, type KeysClient } from './worker.js';

/** Everything that the tab shows, besides the settings. */
export const shards = {
  /** Keys, one per line, or files of them; '' stands for keys that are made up. They are private, and not in the link. */
  keys: initially<KeySource>({ text: '' }),
  isReading: false,
  routed: initially<RoutedKeys | undefined>(undefined),
  /** Why keys cannot be routed, and the option that is wrong. What was routed before stays. */
  problem: initially<SideProblem | undefined>(undefined),
  /** How much of the file of moves is done, from 0 to 1, or why it failed; undefined: none is being made. */
  moves: initially<number | string | undefined>(undefined),
};

let client: KeysClient;

export function startKeys(scripts: readonly string[]): void {
  client = connectKeys(scripts, hear);
  loadRouting();
}

function updateShards(changes: Partial<typeof shards>): void {
  Object.assign(shards, changes);
  update();
}

const isKnown = (by: string) => ROUTED_BY.includes(by);

/** Takes what a link says; a system that there is not has its default. */
export function loadRouting(): void {
  const { by, toBy } = page.settings;
  const known = { by: isKnown(by) ? by : DEFAULTS.by, toBy: isKnown(toBy) ? toBy : DEFAULTS.toBy };
  page.settings = { ...page.settings, ...known };
  routeKeys();
}

export function changeRouting(changes: Partial<PlanSettings>): void {
  set(changes);
  routeKeys();
}

export function takeKeys(keys: KeySource, isReading = false): void {
  Object.assign(shards, { keys, isReading });
  routeKeys();
}

let openedFiles = 0;

export function openKeyFiles(files: readonly File[]): void {
  if (files.length === 0) return;
  shards.routed = undefined;
  takeKeys({ files, opened: ++openedFiles }, true);
}

export function hasKeys(): boolean {
  return !('text' in shards.keys) || shards.keys.text !== '';
}

function routeKeys(): void {
  try {
    routingsOf(page.settings);
    client.route(shards.keys, page.settings);
    updateShards({ problem: undefined });
  } catch (error) {
    if (!(error instanceof SideProblem)) throw error;
    updateShards({ problem: error, isReading: false });
  }
}

export function writeMoves(): void {
  client.writeMoves();
  updateShards({ moves: 0 });
}

function hear(answer: KeysAnswer): void {
  if (answer.kind === 'routed') {
    if ((answer.routed.files !== undefined) !== 'files' in shards.keys) return; // of the keys before
    updateShards({ routed: answer.routed, isReading: false });
  } else if (answer.kind === 'moves') {
    const { done } = answer;
    if (done instanceof Blob) download(done, 'moves.csv');
    updateShards({ moves: done instanceof Blob ? undefined : done });
  } else if (answer.kind === 'failed') {
    const { during, message } = answer;
    if (during === 'moves') updateShards({ moves: message });
    else updateShards({ problem: new SideProblem('', message), isReading: false });
  }
}
