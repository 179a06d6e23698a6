/** 10.64.0.0/10 has room for so many nodes with so many pods each. */
const FIRST = (10 << 24) | (64 << 16);
const NODES = 1_024;
const PER_NODE = 4_096;

/** The addresses of a node's pods: each pod keeps its own, and no two have the same. */
export class PodNetwork {
  readonly #base: number;
  readonly #byPod = new Map<string, string>();
  readonly #taken = new Set<string>();
  #given = 0;

  constructor(nodeIndex: number) {
    this.#base = FIRST + (nodeIndex % NODES) * PER_NODE;
  }

  get cidr(): string {
    return `${format(this.#base)}/20`;
  }

  /** `known`: what the pod says it has. */
  addressOf(uid: string, known?: string): string {
    const address = this.#byPod.get(uid) ?? known ?? this.#next();
    this.#byPod.set(uid, address);
    this.#taken.add(address);
    return address;
  }

  release(uid: string): void {
    this.#taken.delete(this.#byPod.get(uid) ?? '');
    this.#byPod.delete(uid);
  }

  #next(): string {
    for (let tries = 0; tries < PER_NODE; tries++) {
      const address = format(this.#base + 2 + (this.#given++ % (PER_NODE - 3)));
      if (!this.#taken.has(address)) return address;
    }
    throw new Error(`Cannot give a pod an address: all of ${this.cidr} are taken`);
  }
}

function format(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
