import type { Clock } from '@pintle/async';
import { Gate, onAbort, type SeededRandom, type SteppedClock } from '@pintle/async';
import type { TransportRequest, TransportResponse } from '@pintle/client';
import { Client, ClientError } from '@pintle/client';

/** A machine whose clock runs too fast or too slow, whose network is bad, and which stands still from time to time. */
export class Machine {
  readonly clock: Clock;
  readonly #awake = new Gate({ isOpen: true });
  readonly #base: SteppedClock;

  constructor(base: SteppedClock, { rate, aheadMs }: { readonly rate: number; readonly aheadMs: number }) {
    this.#base = base;
    const setTimer: Clock['setTimer'] = (ms, callback) => {
      let isCancelled = false;
      const timer = base.setTimer(ms / rate, () => void this.#awake.wait().then(() => isCancelled || callback()));
      const cancel = () => {
        isCancelled = true;
        timer.cancel();
      };
      return { cancel, [Symbol.dispose]: cancel };
    };
    this.clock = {
      now: () => base.now() * rate + aheadMs,
      monotonic: () => base.monotonic() * rate,
      setTimer,
      sleep: (ms, { signal } = {}) =>
        new Promise((resolve, reject) => {
          const timer = setTimer(ms, () => {
            listener[Symbol.dispose]();
            resolve();
          });
          const listener = onAbort(signal, (reason) => {
            timer.cancel();
            reject(reason);
          });
        }),
    };
  }

  pause(ms: number): void {
    this.#awake.close();
    this.#base.setTimer(ms, () => this.#awake.open());
  }

  /** Requests take long on their way there and back, and either way may lose them. */
  client(handle: (request: TransportRequest) => TransportResponse, random: SeededRandom): Client {
    const travel = async () => {
      const draw = random.next();
      if (draw < 0.3) await this.#base.sleep((draw < 0.05 ? 20_000 : 4_000) * random.next());
      if (random.next() < 0.08) throw new ClientError({ code: 'Unreachable', server: 'there', isSent: true });
    };
    const send = async (request: TransportRequest): Promise<TransportResponse> => {
      await travel();
      const response = handle(request);
      await travel();
      await this.#awake.wait();
      return response;
    };
    return new Client({ transport: { send, isProbed: true }, clock: this.clock });
  }
}
