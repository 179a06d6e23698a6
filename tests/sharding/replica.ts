import type { SeededRandom } from '@pintle/async';
import { Client } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { Manager } from '@pintle/operator';
import { Link, type LinkDependencies } from './link.ts';
import { ReplicaClock } from './replica-clock.ts';
import type { World } from './world.ts';

export const SHARDS = 'work';

export interface ReplicaOptions extends Pick<LinkDependencies, 'delayed' | 'maxDelayMs' | 'isFenced'> {
  readonly world: World;
  readonly random: SeededRandom;
  readonly rate: number;
  readonly offsetMs: number;
  /** Share of reconciles that take up to `maxWorkMs`. */
  readonly slow: number;
  readonly maxWorkMs: number;
  /** Called with each warning that the process logs. */
  readonly onWarning: (message: string) => void;
  /** Called when the process is paused, which may be later than it was asked for. */
  readonly onPause: () => void;
  /** Called when the process ends by itself. */
  readonly onEnd: (error: unknown) => void;
}

/** One process of the operator. Its reconcile writes into a child of each object who wrote it, and in which epoch. */
export class Replica {
  readonly rate: number;
  readonly #clock: ReplicaClock;
  readonly #link: Link;
  readonly #manager: Manager;
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #options: ReplicaOptions;
  #isPaused = false;
  #isOver = false;
  /** Time of the simulation since which the process runs and reaches the server; `undefined` while it does not. */
  ableSinceMs: number | undefined;

  constructor(options: ReplicaOptions) {
    const { world, random, rate, offsetMs } = options;
    this.#options = options;
    this.rate = rate;
    this.#clock = new ReplicaClock(world.clock, { rate, offsetMs });
    this.#link = new Link({
      ...options,
      clock: world.clock,
      random: random.fork('network'),
      serve: world.serve,
      onActivity: world.noteActivity,
    });
    const clock = this.#clock;
    this.#manager = new Manager({
      client: new Client({ transport: this.#link, clock, userAgent: SHARDS }),
      name: SHARDS,
      sharding: SHARDS,
      clock,
      random: random.fork('manager'),
      installsMissing: false,
      log: { info: () => undefined, warn: options.onWarning, error: () => undefined },
    });
    this.#addController(random.fork('work'));
    this.ableSinceMs = world.clock.monotonic();
    this.#manager.run({ signal: this.#stop.signal, kill: this.#kill.signal }).then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(error),
    );
  }

  get identity(): string {
    return this.#manager.shards!.identity;
  }

  /** Writes that the server refused because another process owned the object. */
  get refusedWrites(): number {
    return this.#link.refusedWrites;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isPartitioned(): boolean {
    return this.#link.isPartitioned;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True once it was asked to stop. */
  get isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Ends at once, without notice. */
  crash(): void {
    this.#isOver = true;
    this.ableSinceMs = undefined;
    this.#link.kill();
    this.#clock.kill();
  }

  /** Crashes, and lets go of what listens to signals: Node keeps combined ones for as long as they have listeners. */
  release(): void {
    this.crash();
    this.#kill.abort(new Error('The process was killed'));
  }

  /** Asks the process to stop, as SIGTERM does. */
  stop(): void {
    this.#stop.abort(new Error('The process was asked to stop'));
  }

  pause(what: 'process' | 'machine'): void {
    if (this.#isOver || this.#isPaused) return;
    this.#isPaused = true;
    this.#clock.pause(what);
    this.#link.pause();
    this.#noteState();
    this.#options.onPause();
  }

  /** Pauses just before the next write of a reconcile leaves the process, which has checked already that it may write. */
  pauseAtWrite(what: 'process' | 'machine'): void {
    this.#link.atFencedWrite(() => this.pause(what));
  }

  resume(): void {
    this.#link.atFencedWrite(undefined);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#clock.resume();
    this.#link.resume();
    this.#noteState();
  }

  partition(...partition: Parameters<Link['partition']>): void {
    this.#link.partition(...partition);
    this.#noteState();
  }

  heal(): void {
    this.#link.heal();
    this.#noteState();
  }

  #noteState(): void {
    const isAble = !this.#isOver && !this.#isPaused && !this.isPartitioned;
    this.ableSinceMs = isAble ? (this.ableSinceMs ?? this.#options.world.clock.monotonic()) : undefined;
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.crash();
    this.#options.onEnd(error);
  }

  #addController(random: SeededRandom): void {
    this.#manager
      .controller(Secret)
      .owns(ConfigMap)
      .options({ concurrency: 10 })
      .reconcile(async ({ metadata: { name }, data }, ctx) => {
        await this.#work(random);
        const { slot, epoch } = ctx.shard!;
        const child = { by: this.identity, slot: `${slot}`, epoch: `${epoch}`, value: data?.value ?? '' };
        await ctx.apply(ConfigMap, { metadata: { name }, data: child });
      });
  }

  /** Takes time, and does not look at the signal that tells it to end. */
  async #work(random: SeededRandom): Promise<void> {
    const { slow, maxWorkMs } = this.#options;
    if (random.next() < slow) await this.#clock.sleep(random.below(maxWorkMs));
  }
}
