import { randomUUID } from 'node:crypto';
import type { Timer } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';

const LEASE = { namespace: 'kube-system', name: 'pintle-testing' };
/** Paths of the objects that the holder has created and not deleted yet. The next holder deletes those of a holder that died. */
const CREATIONS = 'testing.pintle.dev/creations';
/** All annotations of an object together may have 256 KiB; the oldest paths are left out beyond that. */
const MAX_CREATIONS_LENGTH = 200_000;
const DURATION_MS = 15_000;
const RENEW_MS = 3_000;
const POLL_MS = 100;
const NOTE_MS = 100;

/** A plane of this process that has created objects on the cluster. */
export interface Creator {
  readonly creations: readonly string[];
  close(): Promise<void>;
}

/** Objects that a dead process has created: those at the paths that are not younger than the process. */
export interface Leftovers {
  readonly paths: readonly string[];
  readonly createdBeforeMs: number;
}

/**
 * Lets one process at a time test on a cluster, by a Lease: tests use the same names, share definitions, and their operators
 * reconcile all objects. Planes of one process share the lock. A process that died loses the lock after 15 s, and the next
 * holder learns from the Lease what it left behind.
 */
export class ClusterLock {
  static readonly #locks = new Map<string, ClusterLock>();
  readonly #server: string;
  readonly #holder = randomUUID();
  /** Planes that share the lock, with their clients. */
  readonly #creators = new Map<Creator, Client>();
  #taking: Promise<void> | undefined;
  #renewal: Timer | undefined;
  #note: Timer | undefined;
  /** Last write of the lease; the next one starts after it. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(server: string) {
    this.#server = server;
  }

  /** Returns the lock of this process on the cluster at an address. */
  static at(server: string): ClusterLock {
    const lock = ClusterLock.#locks.get(server) ?? new ClusterLock(server);
    ClusterLock.#locks.set(server, lock);
    return lock;
  }

  /**
   * Waits for the lock, and shares it until `leave`. Calls `clean` once with the objects that a dead process left behind.
   */
  async join(creator: Creator, client: Client, clean: (left: Leftovers) => Promise<unknown>): Promise<void> {
    this.#creators.set(creator, client);
    this.#taking ??= this.#take(client).then(async (left) => {
      this.#renewal = this.#renewLater();
      if (left.paths.length > 0) await clean(left);
    });
    await this.#taking;
  }

  /** Writes the creations to the lease soon. */
  note(): void {
    this.#note ??= realClock.setTimer(NOTE_MS, () => {
      this.#note = undefined;
      void this.#renew();
    });
  }

  /**
   * Closes the plane of this process that has created the object at the path. Returns false without one. The test of that
   * plane is over, because no two tests use the same name at once.
   */
  async closeCreatorOf(path: string, asker: Creator): Promise<boolean> {
    const creator = [...this.#creators.keys()].find((each) => each !== asker && each.creations.includes(path));
    await creator?.close();
    return creator !== undefined;
  }

  /** Leaves the lock; the last plane to leave releases it. */
  async leave(creator: Creator): Promise<void> {
    const client = this.#creators.get(creator);
    this.#creators.delete(creator);
    if (client === undefined || this.#creators.size > 0) return;
    ClusterLock.#locks.delete(this.#server);
    this.#renewal?.cancel();
    this.#note?.cancel();
    await this.#writing;
    if (await this.#isHeld()) await this.#write(client, '');
  }

  async #isHeld(): Promise<boolean> {
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

  /** Renews the lease; a failure is retried with the next renewal. */
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
  return { paths: creationsIn(lease), createdBeforeMs: renewedMs + DURATION_MS };
}

function creationsIn(lease: Lease | undefined): readonly string[] {
  try {
    const paths: unknown = JSON.parse(lease?.metadata.annotations?.[CREATIONS] ?? '[]');
    // Any client that may write the lease could choose what is deleted here, so only paths of objects are accepted.
    const isPath = (path: unknown): path is string => typeof path === 'string' && /^\/apis?\/[^?#\s]+$/.test(path);
    return Array.isArray(paths) ? paths.filter(isPath) : [];
  } catch {
    return [];
  }
}
