import { randomUUID } from 'node:crypto';
import type { Timer } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';

const LEASE = { namespace: 'kube-system', name: 'pintle-testing' };
/** The paths of what the holder has created and not deleted yet: who follows a holder that died takes them away. */
const CREATIONS = 'testing.pintle.dev/creations';
/** All annotations of an object together may have 256 KiB; the oldest paths are left out then. */
const MAX_CREATIONS_LENGTH = 200_000;
const DURATION_MS = 15_000;
const RENEW_MS = 3_000;
const POLL_MS = 100;
const NOTE_MS = 100;

/** Somebody in this process who has created things on the cluster. */
export interface Creator {
  readonly creations: readonly string[];
  close(): Promise<void>;
}

/** Returns objects that a dead process has created: those at the paths that are no younger than it. */
export interface Leftovers {
  readonly paths: readonly string[];
  readonly bornBeforeMs: number;
}

/**
 * Lets the processes that test on one cluster take turns: their tests use the same names, definitions are there for all of
 * them, and operators look after everybody's objects. Planes of one process share its turn. A process that died without a
 * word loses its turn after 15 s, and what it left behind is known to who follows.
 */
export class ClusterTurn {
  static readonly #turns = new Map<string, ClusterTurn>();
  readonly #server: string;
  readonly #holder = randomUUID();
  /** Those that take part, and how they reach the cluster. */
  readonly #creators = new Map<Creator, Client>();
  #taking: Promise<void> | undefined;
  #renewal: Timer | undefined;
  #note: Timer | undefined;
  /** The last write of the lease; the next one starts after it. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(server: string) {
    this.#server = server;
  }

  /** The turn of this process on the cluster at an address. */
  static at(server: string): ClusterTurn {
    const turn = ClusterTurn.#turns.get(server) ?? new ClusterTurn(server);
    ClusterTurn.#turns.set(server, turn);
    return turn;
  }

  /**
   * Waits for the turn, and takes part in it until `leave`. `clean` is called, once, with what a process that died has left
   * behind.
   */
  async join(creator: Creator, client: Client, clean: (left: Leftovers) => Promise<unknown>): Promise<void> {
    this.#creators.set(creator, client);
    this.#taking ??= this.#take(client).then(async (left) => {
      this.#renewal = this.#renewLater();
      if (left.paths.length > 0) await clean(left);
    });
    await this.#taking;
  }

  /** Something was created: it is written down soon. */
  note(): void {
    this.#note ??= realClock.setTimer(NOTE_MS, () => {
      this.#note = undefined;
      void this.#renew();
    });
  }

  /**
   * Closes whoever in this process has created what is at the path, and gives whether there was somebody: its test is over,
   * for nobody else uses the same name meanwhile.
   */
  async closeCreatorOf(path: string, asker: Creator): Promise<boolean> {
    const creator = [...this.#creators.keys()].find((each) => each !== asker && each.creations.includes(path));
    await creator?.close();
    return creator !== undefined;
  }

  /** The last to leave lets others have their turn. */
  async leave(creator: Creator): Promise<void> {
    const client = this.#creators.get(creator);
    this.#creators.delete(creator);
    if (client === undefined || this.#creators.size > 0) return;
    ClusterTurn.#turns.delete(this.#server);
    this.#renewal?.cancel();
    this.#note?.cancel();
    await this.#writing;
    if (await this.#isMine()) await this.#write(client, '');
  }

  async #isMine(): Promise<boolean> {
    return (
      (await this.#taking?.then(
        () => true,
        () => false,
      )) ?? false
    );
  }

  async #take(client: Client): Promise<Leftovers> {
    let seen = { text: '', sinceMs: 0 };
    for (;;) {
      const found = await client.find(Lease, LEASE);
      const { holderIdentity = '', renewTime = '' } = found?.spec ?? {};
      const text = `${holderIdentity} ${renewTime}`;
      if (text !== seen.text) seen = { text, sinceMs: realClock.monotonic() };
      const isFree = holderIdentity === '' || realClock.monotonic() - seen.sinceMs > DURATION_MS;
      if (isFree && (await this.#seize(client, found))) return leftoversIn(found);
      await realClock.sleep(POLL_MS);
    }
  }

  async #seize(client: Client, found: Lease | undefined): Promise<boolean> {
    const spec = this.#spec(this.#holder);
    try {
      if (found === undefined) await client.create(Lease, { metadata: LEASE, spec });
      else await client.update(Lease, { ...found, spec });
      return true;
    } catch (error) {
      if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  #renewLater(): Timer {
    return realClock.setTimer(RENEW_MS, () => {
      this.#renewal = this.#renewLater();
      void this.#renew();
    });
  }

  /** A renewal that fails is tried again with the next one. */
  async #renew(): Promise<void> {
    const client = [...this.#creators.values()].at(-1);
    if (client === undefined) return;
    this.#writing = this.#writing.then(() => this.#write(client, this.#holder)).catch(() => undefined);
    await this.#writing;
  }

  async #write(client: Client, holder: string): Promise<void> {
    const paths = [...this.#creators.keys()].flatMap(({ creations }) => creations);
    const metadata = { annotations: { [CREATIONS]: paths.length === 0 ? null : asText(paths) } };
    const body = { metadata, spec: this.#spec(holder) };
    await client.patch(Lease, LEASE, { type: 'merge', body }).catch(ignoring(isNotFound));
  }

  #spec(holderIdentity: string): NonNullable<Lease['spec']> {
    const renewTime = formatMicroTime(realClock.now() * 1_000);
    return { holderIdentity, leaseDurationSeconds: DURATION_MS / 1_000, renewTime };
  }
}

function asText(paths: readonly string[]): string {
  let from = paths.length;
  for (let length = 2; from > 0; from--) {
    length += (paths[from - 1]?.length ?? 0) + 3;
    if (length > MAX_CREATIONS_LENGTH) break;
  }
  return JSON.stringify(paths.slice(from));
}

function leftoversIn(lease: Lease | undefined): Leftovers {
  const renewedMs = Date.parse(lease?.spec?.renewTime ?? '') || 0;
  return { paths: creationsIn(lease), bornBeforeMs: renewedMs + DURATION_MS };
}

function creationsIn(lease: Lease | undefined): readonly string[] {
  try {
    const paths: unknown = JSON.parse(lease?.metadata.annotations?.[CREATIONS] ?? '[]');
    // Whoever may write the lease says what is deleted: only paths of objects are.
    const isPath = (path: unknown): path is string => typeof path === 'string' && /^\/apis?\/[^?#\s]+$/.test(path);
    return Array.isArray(paths) ? paths.filter(isPath) : [];
  } catch {
    return [];
  }
}
