/** Who sends more at once than this does not mean well. */
const MAX_WAITING = 1_000;

/** What a connection is for its lane. */
interface LaneConnection {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/**
 * Requests of one connection of HTTP/1.1 are begun one after the other, each when the answer to the one before has left:
 * clients may send several at once, and expect each to see what those before it did. Begun together, each would also have
 * its answer in memory, which the connection cannot take yet.
 */
export class Lanes {
  readonly #lanes = new WeakMap<LaneConnection, Lane>();

  /** Calls `begin` when it is this request's turn, or the connection is gone. */
  enter(connection: LaneConnection, begin: () => void): void {
    const lane = this.#lanes.get(connection) ?? this.#laneOf(connection);
    if (!lane.isTaken) {
      lane.isTaken = true;
      begin();
    } else if (lane.waiting.push(begin) > MAX_WAITING) connection.destroy();
  }

  /** The answer to the request whose turn it is has left. */
  leave(connection: LaneConnection): void {
    const lane = this.#lanes.get(connection);
    if (lane === undefined) return;
    const next = lane.waiting.shift();
    if (next === undefined) lane.isTaken = false;
    else next();
  }

  #laneOf(connection: LaneConnection): Lane {
    const lane = { isTaken: false, waiting: [] as (() => void)[] };
    this.#lanes.set(connection, lane);
    connection.once('close', () => {
      for (const begin of lane.waiting.splice(0)) begin();
    });
    return lane;
  }
}

interface Lane {
  isTaken: boolean;
  readonly waiting: (() => void)[];
}
