/** 10.64.0.0/10, divided among nodes. */
const FIRST = (10 << 24) | (64 << 16);
const NODES = 1_024;
const PER_NODE = 4_096;

/** Pod addresses of a node. A pod keeps its address, and no two pods have the same. */
export class PodNetwork {
  readonly #base: number;
  readonly #byPod = new Map<string, string>();
  readonly #taken = new Set<string>();
  #next = 0;

  constructor(nodeIndex: number) {
    this.#base = FIRST + (nodeIndex % NODES) * PER_NODE;
  }

  get cidr(): string {
    return `${format(this.#base)}/20`;
  }

  /** Returns the pod's address. `known` is the one in its status. */
  addressOf(uid: string, known?: string): string {
    const address = this.#byPod.get(uid) ?? known ?? this.#allocate();
    this.#byPod.set(uid, address);
    this.#taken.add(address);
    return address;
  }

  release(uid: string): void {
    this.#taken.delete(this.#byPod.get(uid) ?? '');
    this.#byPod.delete(uid);
  }

  #allocate(): string {
    for (let tries = 0; tries < PER_NODE; tries++) {
      const address = format(this.#base + 2 + (this.#next++ % (PER_NODE - 3)));
      if (!this.#taken.has(address)) return address;
    }
    throw new Error(`Cannot allocate pod address: all of ${this.cidr} are in use`);
  }
}

function format(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
