/**
 * One end of a channel between the process that has a store and one that mirrors it. Messages are values for the structured
 * clone; they arrive once, in order, until the channel ends.
 */
export interface StoreChannel {
  /** Resolves once the message has left this process; rejects when the channel has ended. */
  send(message: unknown): Promise<void>;
  /** Sets the receivers, once. Nothing is lost before. `onEnd` is called when no more messages come. */
  receive(onMessage: (message: unknown) => void, onEnd: () => void): void;
}
