import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { realClock } from '@pintle/async';

/** Condition of the network between a store and a member. */
export type NetworkCondition =
  | { readonly type: 'clear' }
  /** Holds up all bytes, without refusing connections. They arrive when the condition ends. */
  | { readonly type: 'black hole' }
  /** Delivers requests, and holds up responses until the condition ends. */
  | { readonly type: 'deaf' }
  /** The member has dropped its connections without notice to the store; new ones are as in a black hole. */
  | { readonly type: 'half open' }
  /** Delays all bytes in each direction. */
  | { readonly type: 'delay'; readonly delayMs: () => number };

/** A proxy to a member of etcd, through which a test changes the network. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #condition: NetworkCondition = { type: 'clear' };

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => {
      const pair = new Pair(client, this.#target, () => this.#pairs.delete(pair));
      this.#pairs.add(pair);
      pair.set(this.#condition.type === 'half open' ? { type: 'black hole' } : this.#condition);
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  set(condition: NetworkCondition): void {
    this.#condition = condition;
    for (const pair of [...this.#pairs]) pair.set(condition);
  }

  /** Ends all connections; new ones can be made. */
  cut(): void {
    for (const pair of [...this.#pairs]) pair.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A connection to the proxy, and one from there to the member. */
class Pair {
  readonly #client: Socket;
  readonly #member: Socket;
  readonly #onEnd: () => void;
  #condition: NetworkCondition = { type: 'clear' };
  #isHalf = false;

  constructor(client: Socket, target: number, onEnd: () => void) {
    this.#client = client;
    this.#member = connect(target, '127.0.0.1');
    this.#onEnd = onEnd;
    this.#pass(client, this.#member);
    this.#pass(this.#member, client);
  }

  set(condition: NetworkCondition): void {
    this.#condition = condition;
    if (condition.type === 'half open') {
      this.#isHalf = true;
      this.#member.destroy();
      return;
    }
    if (this.#isHalf) this.destroy();
    const isSilent = condition.type === 'black hole' || condition.type === 'deaf';
    if (condition.type === 'black hole') this.#client.pause();
    else this.#client.resume();
    if (isSilent) this.#member.pause();
    else this.#member.resume();
  }

  destroy(): void {
    this.#client.destroy();
    this.#member.destroy();
    this.#onEnd();
  }

  /** Forwards in order, whatever the delays are. */
  #pass(from: Socket, to: Socket): void {
    let before = Promise.resolve();
    from.on('data', (bytes) => {
      const condition = this.#condition;
      const delay = condition.type === 'delay' ? realClock.sleep(condition.delayMs()) : undefined;
      before = before.then(() => delay).then(() => void (to.destroyed || to.write(bytes)));
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!this.#isHalf) this.destroy();
    });
  }
}
