/**
 * Lets everybody else have a turn before each call: sockets are read and timers fire, and what happened meanwhile is
 * heard together. Work that never waits for the machine would otherwise hold up the whole process for as long as it lasts.
 */
export function inTurns<R, A>(send: (request: R) => Promise<A>): (request: R) => Promise<A> {
  let turn: Promise<void> | undefined;
  const nextTurn = (): Promise<void> => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
  return async (request) => {
    await nextTurn();
    return await send(request);
  };
}
