import { SeededRandom } from '@pintle/async';
import { Namespace, Secret } from '@pintle/kinds/core/v1';
import { History } from './history.ts';
import { Replica, SHARDS } from './replica.ts';
import { World } from './world.ts';

const NAMESPACE = 'default';
const PLACES = 4;
const OBJECTS = 10;
const STEPS = 6;
const LEASE_MS = 15_000;
const GRACE_MS = 5_000;
/** Time until everything is reconciled once all faults are over: informers wait for up to 45 s after failures. */
const RECOVERY_MS = 90_000;
const LOOK_MS = 1_000;

export interface SimulationOptions {
  /** False: fences are removed from requests on their way. Default: true. */
  readonly isFenced?: boolean;
  /** False: the server ignores shard selectors. Default: true. */
  readonly isSelecting?: boolean;
  readonly log?: (line: string) => void;
}

export interface SimulationResult {
  readonly seed: number;
  /** Reasons why it failed; empty: it passed. */
  readonly problems: readonly string[];
  readonly doubleWrites: readonly string[];
  readonly writes: number;
  readonly moves: number;
  /** Writes that the server refused. */
  readonly refusedWrites: number;
}

/** Runs one history of joins, crashes, pauses, partitions and skewed clocks. The same seed runs the same history. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  await using world = await World.open(seed, { isSelecting: options.isSelecting ?? true });
  return await new Simulation(seed, world, options).run();
}

class Simulation {
  readonly #seed: number;
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #options: SimulationOptions;
  readonly #history: History;
  readonly #places: (Replica | undefined)[] = Array.from({ length: PLACES }, () => undefined);
  readonly #ended: Replica[] = [];
  readonly #problems: string[] = [];
  readonly #ownedAtMs = new Map<number, number>();
  readonly #values = new Map<string, string>();
  readonly #restarts = new Map<number, number>();
  #disruptedAtMs = 0;
  #processes = 0;
  #changes = 0;
  readonly #skew: number;
  readonly #delayed: number;
  readonly #slow: number;

  constructor(seed: number, world: World, options: SimulationOptions) {
    this.#seed = seed;
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(seed);
    this.#history = new History(`${SHARDS}-shards`, world.noteActivity);
    // Each history has its own character: how clocks, network and reconciles are.
    this.#skew = [0, 0.01, 0.2][this.#random.below(3)]!;
    this.#delayed = [0, 0.05, 0.3][this.#random.below(3)]!;
    this.#slow = [0, 0.2, 0.6][this.#random.below(3)]!;
  }

  async run(): Promise<SimulationResult> {
    await this.#world.client.create(Namespace, { metadata: { name: NAMESPACE } });
    this.#history.start(this.#world.client);
    for (let object = 0; object < OBJECTS; object++) await this.#change(`object-${object}`);
    for (let place = this.#random.below(3); place >= 0; place--) this.#start(place);
    await this.#advance(3_000 + this.#random.below(8_000));
    for (let step = 0; step < STEPS && this.#problems.length === 0; step++) {
      this.#act();
      for (let count = this.#random.below(4); count > 0; count--)
        await this.#change(`object-${this.#random.below(OBJECTS)}`);
      // Some faults come together, others after everything has settled.
      await this.#advance(this.#random.below(this.#random.below(2) === 0 ? 5_000 : 25_000));
    }
    await this.#recover();
    await this.#history.stop();
    const { doubleWrites, writes, moves } = this.#history;
    const replicas = [...this.#ended, ...this.#running()];
    for (const replica of replicas) replica.release();
    return {
      seed: this.#seed,
      problems: [...this.#problems, ...doubleWrites],
      doubleWrites,
      writes,
      moves,
      refusedWrites: replicas.reduce((sum, { refusedWrites }) => sum + refusedWrites, 0),
    };
  }

  #running(): Replica[] {
    return this.#places.filter((replica) => replica !== undefined);
  }

  #log(line: string): void {
    this.#options.log?.(`${(this.#world.clock.monotonic() / 1_000).toFixed(3).padStart(9)} ${line}`);
  }

  #start(place: number): void {
    const random = this.#random.fork(`process ${this.#processes++}`);
    const rate = 1 + this.#skew * (2 * random.next() - 1);
    const offsetMs = Math.round(3_600_000 * (2 * random.next() - 1));
    const replica = new Replica({
      world: this.#world,
      random,
      rate,
      offsetMs,
      delayed: this.#delayed,
      maxDelayMs: 1_500,
      slow: this.#slow,
      maxWorkMs: 14_000,
      isFenced: this.#options.isFenced ?? true,
      onWarning: () => undefined,
      onPause: () => this.#disrupt(),
      onEnd: (error) => {
        this.#log(`${replica.identity} ended: ${error instanceof Error ? error.message : 'stopped'}`);
        if (this.#places[place] !== replica) return;
        this.#remove(place);
        if (error !== undefined) this.#restarts.set(place, this.#world.clock.monotonic() + 1_000 + random.below(3_000));
      },
    });
    this.#places[place] = replica;
    this.#log(`${replica.identity} starts, rate ${rate.toFixed(3)}`);
  }

  #remove(place: number): void {
    const replica = this.#places[place];
    if (replica === undefined) return;
    this.#places[place] = undefined;
    this.#ended.push(replica);
    this.#disrupt();
  }

  /** The next leader has to be found first: the time without an owner counts from here. */
  #disrupt(): void {
    this.#disruptedAtMs = this.#world.clock.monotonic();
  }

  #act(): void {
    const place = this.#random.below(PLACES);
    const replica = this.#places[place];
    if (replica === undefined) this.#start(place);
    else if (replica.isPaused) {
      this.#log(`${replica.identity} resumes`);
      replica.resume();
      // A leader that heard nothing counts the leases of others from here.
      this.#disrupt();
    } else if (replica.isPartitioned) {
      this.#log(`${replica.identity} is connected again`);
      replica.heal();
      this.#disrupt();
    } else this.#harm(place, replica);
  }

  #harm(place: number, replica: Replica): void {
    const action = this.#random.below(10);
    const what = this.#random.below(2) === 0 ? 'process' : 'machine';
    const side = (['requests', 'answers', 'both'] as const)[this.#random.below(3)]!;
    const isLossy = this.#random.below(2) === 0;
    this.#disrupt();
    if (action < 2) {
      this.#log(`${replica.identity} crashes`);
      replica.crash();
      this.#remove(place);
    } else if (action < 3) {
      this.#log(`${replica.identity} is asked to stop`);
      replica.stop();
    } else if (action < 5) {
      this.#log(`${replica.identity} is paused (${what})`);
      replica.pause(what);
    } else if (action < 7) {
      this.#log(`${replica.identity} is to be paused at its next write (${what})`);
      replica.pauseAtWrite(what);
    } else {
      this.#log(`${replica.identity} is cut off: ${side}, ${isLossy ? 'lost' : 'late'}`);
      replica.partition({ side, isLossy });
    }
  }

  async #change(name: string): Promise<void> {
    const value = Buffer.from(`${++this.#changes}`).toString('base64');
    const isNew = !this.#values.has(name);
    this.#values.set(name, value);
    const { client } = this.#world;
    if (isNew) await client.create(Secret, { metadata: { namespace: NAMESPACE, name }, data: { value } });
    else await client.patch(Secret, { namespace: NAMESPACE, name }, { type: 'merge', body: { data: { value } } });
  }

  async #advance(ms: number): Promise<void> {
    for (let left = ms; left > 0 && this.#problems.length === 0; left -= LOOK_MS) {
      await this.#world.clock.advance(Math.min(LOOK_MS, left));
      this.#restart();
      this.#look();
    }
  }

  #restart(): void {
    for (const [place, atMs] of this.#restarts) {
      if (this.#world.clock.monotonic() < atMs) continue;
      this.#restarts.delete(place);
      if (this.#places[place] === undefined) this.#start(place);
    }
  }

  /** Checks that no slot is without an owner for longer than a lease and a little while a process could own it. */
  #look(): void {
    const nowMs = this.#world.clock.monotonic();
    const able = this.#running().filter(({ ableSinceMs }) => ableSinceMs !== undefined);
    const identities = new Set(able.map(({ identity }) => identity));
    const ableSinceMs = Math.min(...able.map(({ ableSinceMs }) => ableSinceMs!));
    const limitMs = LEASE_MS / Math.min(1, ...able.map(({ rate }) => rate)) + GRACE_MS;
    for (const [slot, { owner }] of this.#history.slots.entries()) {
      if (identities.has(owner)) this.#ownedAtMs.set(slot, nowMs);
      const sinceMs = Math.max(this.#ownedAtMs.get(slot) ?? 0, ableSinceMs, this.#disruptedAtMs);
      if (able.length === 0 || nowMs - sinceMs <= limitMs) continue;
      this.#problems.push(`slot ${slot} of ${owner || 'nobody'} had no owner for ${nowMs - sinceMs} ms`);
      return;
    }
  }

  /** Ends all faults, and expects that everything is reconciled again. */
  async #recover(): Promise<void> {
    if (this.#problems.length > 0) return;
    this.#log('all faults end');
    for (const replica of this.#running()) {
      replica.resume();
      replica.heal();
    }
    this.#disrupt();
    const isAnyLeft = this.#running().some(({ isStopping }) => !isStopping) || this.#restarts.size > 0;
    if (!isAnyLeft) this.#start(Math.max(0, this.#places.indexOf(undefined)));
    for (const name of this.#values.keys()) await this.#change(name);
    const untilMs = this.#world.clock.monotonic() + RECOVERY_MS;
    while (this.#world.clock.monotonic() < untilMs && this.#problems.length === 0) {
      await this.#advance(LOOK_MS);
      if (this.#isReconciled()) return;
    }
    const late = [...this.#values].filter(([name, value]) => value !== this.#history.values.get(name));
    for (const [name] of late) this.#problems.push(`${name} was not reconciled after all faults had ended`);
  }

  #isReconciled(): boolean {
    return [...this.#values].every(([name, value]) => value === this.#history.values.get(name));
  }
}
