import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { realClock } from '@pintle/async';

/** What the network between a store and a member does to it. */
export type Weather =
  | { readonly type: 'clear' }
  /** Nothing arrives, nothing is refused; what was sent arrives once it is over. */
  | { readonly type: 'black hole' }
  /** What is sent arrives, and no answer comes back before it is over. */
  | { readonly type: 'deaf' }
  /** The member has forgotten the connections and the store does not know; new ones are as in a black hole. */
  | { readonly type: 'half open' }
  /** Everything takes so much longer, one way. */
  | { readonly type: 'delay'; readonly delayMs: () => number };

/** A way to a member of etcd on which a test makes the weather. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #weather: Weather = { type: 'clear' };

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
      pair.set(this.#weather.type === 'half open' ? { type: 'black hole' } : this.#weather);
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  set(weather: Weather): void {
    this.#weather = weather;
    for (const pair of [...this.#pairs]) pair.set(weather);
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
  #weather: Weather = { type: 'clear' };
  #isHalf = false;

  constructor(client: Socket, target: number, onEnd: () => void) {
    this.#client = client;
    this.#member = connect(target, '127.0.0.1');
    this.#onEnd = onEnd;
    this.#pass(client, this.#member);
    this.#pass(this.#member, client);
  }

  set(weather: Weather): void {
    this.#weather = weather;
    if (weather.type === 'half open') {
      this.#isHalf = true;
      this.#member.destroy();
      return;
    }
    if (this.#isHalf) this.destroy();
    const isSilent = weather.type === 'black hole' || weather.type === 'deaf';
    if (weather.type === 'black hole') this.#client.pause();
    else this.#client.resume();
    if (isSilent) this.#member.pause();
    else this.#member.resume();
  }

  destroy(): void {
    this.#client.destroy();
    this.#member.destroy();
    this.#onEnd();
  }

  /** In order, whatever the delays are. */
  #pass(from: Socket, to: Socket): void {
    let before = Promise.resolve();
    from.on('data', (bytes) => {
      const weather = this.#weather;
      const delay = weather.type === 'delay' ? realClock.sleep(weather.delayMs()) : undefined;
      before = before.then(() => delay).then(() => void (to.destroyed || to.write(bytes)));
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!this.#isHalf) this.destroy();
    });
  }
}
