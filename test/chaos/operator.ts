// An operator who does one thing after the other to the store in which processes work, by the real command line.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { currentMap, mapHistory } from '../../src/map/index.js';
import { type Store, storeState } from '../../src/registry/index.js';
import type { Crew, WorkerOptions } from '../support/crew.js';
import type { Snapshot } from '../support/ledger.js';
import { type Engine, startShardbits, succeeds } from './engines.js';

/** A store, by its engine and its name there. */
export interface Place {
  readonly engine: Engine;
  readonly name: string;
}

interface Backup extends Place {
  readonly file: string;
  /** What it has at least. */
  readonly snapshot: Snapshot;
}

/** What can be done wrong, so that a test sees that it is found. */
export const FAULTS = ['restored without skipping', 'copied instead of moved'] as const;
export type Fault = (typeof FAULTS)[number];
export const isFault = (name: string): name is Fault => FAULTS.some((fault) => fault === name);

interface Options {
  readonly folder: string;
  readonly crew: Crew;
  /** What a process is told that starts now. */
  readonly task: () => WorkerOptions;
  readonly engines: readonly Engine[];
  /** A random whole number below another one. */
  readonly random: (below: number) => number;
  readonly fault?: Fault | undefined;
}

/** Backups that are kept to be restored. */
const BACKUPS = 3;
/** Every restore skips numbers of every prefix, and after about 60 there would be none left. */
const MAX_RESTORES = 40;
/** A backup with fewer of the strings that there are is not restored, or the run would never end. */
const KEPT = 0.85;
/** For the `--lead` of a restore. All clocks are that of this machine. */
const LEAD_MS = 1000;
const TRIES = 10;
/** Until when after a move the processes in the second store have begun to work, at the latest. */
const SWITCH_MS = 10_000;

export class Operator {
  readonly counts = { moves: 0, takenBack: 0, backups: 0, restores: 0, rollbacks: 0, crashes: 0, commandsKilled: 0 };
  /** What it is doing, in words. */
  doing = 'waiting';
  /** Whether the processes on duty may be replaced. */
  isStaffed = true;
  #place: Place;
  /** From where the store came. It is kept now and then, so that the store can move back. */
  #previous: Place | undefined;
  #backups: Backup[] = [];
  #files = 0;
  /** How long each command took when it last ended by itself, in milliseconds. */
  readonly #took = new Map<string, number>();
  readonly #options: Options;

  constructor(place: Place, options: Options) {
    this.#place = place;
    this.#options = options;
  }

  /** Where the store is. */
  get place(): Place {
    return this.#place;
  }

  /** What takes longer the more the store holds. */
  readonly long = {
    move: () => this.#move('in one go'),
    'move, which is killed and goes on': () => this.#move('killed'),
    'move, which is killed and taken back': () => this.#move('taken back'),
    'move, in which a server goes down': () => this.#move('crash'),
    backup: () => this.#backUp(),
    restore: () => this.#restore(),
  };

  /** What is done quickly. */
  readonly short = {
    'publishing a map': () => this.#publish(),
    'rolling back the map': () => this.#rollBack(),
    'ending a lease': () => this.#release(),
    'bringing a server down': () => this.#crash(),
  };

  async #crash(): Promise<void> {
    if (this.#place.engine.crash === undefined) return;
    this.counts.crashes++;
    await this.#place.engine.crash();
  }

  async #move(how: 'in one go' | 'killed' | 'taken back' | 'crash'): Promise<void> {
    const { random, engines } = this.#options;
    const from = this.#place;
    const back = random(2) === 0 ? this.#previous : undefined;
    const engine = engines[random(engines.length)];
    const to = back ?? { engine, name: await engine.newName() };
    const command = ['store', 'move', from.name, to.name];
    if (this.#options.fault === 'copied instead of moved') {
      await startShardbits('store', 'copy', from.name, to.name).outcome;
      return this.#leave(from, to, back);
    }
    if (how === 'crash') {
      const { outcome } = startShardbits(...command);
      await setTimeout(random(this.#took.get('move') ?? 500));
      for (const { crash } of new Set([from.engine, to.engine])) await crash?.();
      await outcome;
    } else if (how !== 'in one go') await this.#runKilled('move', command);
    if (how === 'taken back' && (await this.#takeBack(from, to))) {
      this.counts.takenBack++;
      if (to !== back) await engine.remove(to.name);
      return;
    }
    await this.#run('move', command);
    await this.#leave(from, to, back);
  }

  /** Lets the processes use the second store. Those in the first one go on until then, as long as it lets them. */
  async #leave(from: Place, to: Place, back: Place | undefined): Promise<void> {
    const { crew, random } = this.#options;
    this.counts.moves++;
    const before = this.#begin(to);
    const isWorking = () => {
      crew.ledger.read();
      return crew.onDuty.some(({ log }) => log.count.interned > 0);
    };
    for (const end = performance.now() + SWITCH_MS; !isWorking() && performance.now() < end; ) await setTimeout(50);
    await Promise.all(before.map((worker) => worker.kill()));
    if (this.#previous !== undefined && this.#previous !== back)
      await this.#previous.engine.remove(this.#previous.name);
    this.#previous = random(3) === 0 ? from : undefined;
    if (this.#previous === undefined) await from.engine.remove(from.name);
  }

  /** @returns whether the first store can be used again. Otherwise the move was complete, or had not begun. */
  async #takeBack(from: Place, to: Place): Promise<boolean> {
    const { code } = await startShardbits('store', 'move', from.name, to.name, '--back').outcome;
    const movedTo = await this.#withStore(async (store) => (await storeState(store))?.movedTo, from);
    if (code === 0 && movedTo !== undefined) throw new Error('a move was taken back, and the first store is fenced');
    return movedTo === undefined;
  }

  async #backUp(): Promise<Backup> {
    const { crew, folder, random } = this.#options;
    const { engine, name } = this.#place;
    const file = () => join(folder, `backup-${this.#files++}`);
    if (random(3) === 0) {
      const killed = engine.startBackup(name, file());
      await setTimeout(random(this.#took.get('backup') ?? 500));
      if (killed.kill()) this.counts.commandsKilled++;
      await killed.outcome;
    }
    const backup = { engine, name, file: file(), snapshot: crew.ledger.snapshot() };
    const began = performance.now();
    await succeeds(engine.startBackup(name, backup.file).outcome);
    this.#took.set('backup', performance.now() - began);
    this.counts.backups++;
    this.#backups.push(backup);
    for (const { file } of this.#backups.splice(0, this.#backups.length - BACKUPS)) rmSync(file);
    return backup;
  }

  async #restore(): Promise<void> {
    const { crew, random, fault } = this.#options;
    if (this.counts.restores === MAX_RESTORES) return;
    const enough = this.#backups.filter(({ snapshot }) => snapshot.idOf.size >= KEPT * crew.ledger.strings);
    const backup = enough.length > 0 ? enough[random(enough.length)] : await this.#backUp();
    await setTimeout(500 + random(1500)); // what is given now is lost
    this.isStaffed = false;
    await crew.stop();
    const before = this.#place;
    const { engine, file, snapshot } = backup;
    const { name, args } = await engine.putBack(file, backup.name, engine === before.engine ? before.name : undefined);
    const skipping = fault === 'restored without skipping' ? ['--strings', '0', '--tokens', '0'] : [];
    const command = [...args, ...skipping, '--lead', String(LEAD_MS), '--yes'];
    if (random(2) === 0) await this.#runKilled('restore', command);
    await this.#run('restore', command);
    crew.ledger.restore(snapshot);
    this.counts.restores++;
    this.#begin({ engine, name });
    this.isStaffed = true;
    await this.#noteMap(Math.max(0, ...snapshot.digestOf.keys()));
    // The places that the store has left have something that the backup lacks, so they cannot be moved to.
    const left = [...(name === before.name ? [] : [before]), ...(this.#previous === undefined ? [] : [this.#previous])];
    this.#previous = undefined;
    for (const place of left) if (place.name !== name) await place.engine.remove(place.name);
  }

  async #publish(): Promise<void> {
    const { random, folder } = this.#options;
    const { name } = this.#place;
    const map = join(folder, `map-${this.#files++}.json`);
    const before = await this.#withStore(currentMap);
    if (before === undefined) {
      const nodes = ['--shards', '256', '--nodes', 'db1,db2,db3'];
      await this.#run('map', ['map', 'create', ...nodes, '--out', map]);
    } else {
      const current = join(folder, `map-${this.#files++}.json`);
      await this.#run('map', ['map', 'get', '--store', name, '--out', current]);
      const weight = `db${1 + random(3)}=${1 + random(1000) / 100}`;
      await this.#run('map', ['map', 'change', current, '--weight', weight, '--out', map]);
    }
    await this.#run('map', ['map', 'publish', map, '--store', name]);
    await this.#noteMap((before?.version ?? 0) + 1);
  }

  async #rollBack(): Promise<void> {
    const versions = await this.#withStore(mapHistory);
    if (versions.length < 2) return this.#publish();
    const { version, digest } = versions[this.#options.random(versions.length - 1)];
    await this.#run('map', ['map', 'rollback', String(version), '--store', this.#place.name, '--yes']);
    this.counts.rollbacks++;
    const last = versions.at(-1);
    const isCurrent = last?.digest === digest; // then nothing is published
    await this.#noteMap((last?.version ?? 0) + (isCurrent ? 0 : 1), digest);
  }

  /** Notes the map that the store has now. @param digest which one it must be, if that is known */
  async #noteMap(version: number, digest?: string): Promise<void> {
    const { ledger } = this.#options.crew;
    const map = await this.#withStore(currentMap);
    if ((map?.version ?? 0) !== version) throw new Error(`the map has the version ${map?.version}, not ${version}`);
    if (map === undefined) return;
    ledger.noteMap(version, map.digest);
    if (digest !== undefined) ledger.noteMap(version, digest, 'the version that it was rolled back to');
  }

  /** Ends the lease of a process on duty, which has to notice that. */
  async #release(): Promise<void> {
    const { crew, random } = this.#options;
    const shards = crew.onDuty.map(({ log }) => log.shard).filter((shard) => shard >= 0);
    if (shards.length === 0) return;
    const shard = String(shards[random(shards.length)]);
    // It may have been given back meanwhile.
    await startShardbits('leases', '--store', this.#place.name, '--release', shard, '--yes').outcome;
  }

  /** Starts processes in a store. @returns those that were on duty before */
  #begin(place: Place) {
    this.#place = place;
    return this.#options.crew.begin(place.name, this.#options.task());
  }

  async #withStore<T>(work: (store: Store) => Promise<T>, { engine, name } = this.#place): Promise<T> {
    const store = await engine.open(name);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Runs a command until it succeeds, because a server may be down. */
  async #run(kind: string, command: readonly string[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const began = performance.now();
      const { code, stderr } = await startShardbits(...command).outcome;
      this.#took.set(kind, performance.now() - began);
      if (code === 0) return;
      if (tries === TRIES) throw new Error(`shardbits ${command.join(' ')} ended with ${code}: ${stderr}`);
      await setTimeout(500);
    }
  }

  /** Runs a command, and kills it after a part of the time that it took before. */
  async #runKilled(kind: string, command: readonly string[]): Promise<void> {
    const { outcome, kill } = startShardbits(...command);
    // Node takes some of it to start.
    await setTimeout(150 + this.#options.random(this.#took.get(kind) ?? 500));
    kill();
    if ((await outcome).code === 'SIGKILL') this.counts.commandsKilled++;
  }
}
