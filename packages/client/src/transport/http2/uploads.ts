import type { OutgoingStream, SenderOutbox } from '@pintle/http2';
import { Sender } from '@pintle/http2';

/** Sends the bodies of requests. Waiting bodies are not copied. */
export class Uploads {
  readonly #sender: Sender;
  readonly #uploads = new Map<number, OutgoingStream>();

  constructor(outbox: SenderOutbox) {
    this.#sender = new Sender(outbox);
  }

  /** `body` is not empty, and the caller does not change it before it is sent. */
  add(id: number, body: Uint8Array): void {
    const onSent = (): void => void this.#uploads.delete(id);
    const window = this.#sender.firstWindow;
    const upload: OutgoingStream = { id, window, queue: [body], sentBytes: 0, isEnded: true, onSent };
    this.#uploads.set(id, upload);
    this.#sender.add(upload);
  }

  /** Stops sending. Returns true when bytes were left to send. */
  remove(id: number): boolean {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) this.#sender.remove(upload);
    return this.#uploads.delete(id);
  }

  /** Continues to send, when the socket has drained. */
  send(): void {
    this.#sender.send();
  }

  /** Counts a WINDOW_UPDATE frame. Returns false when no sent data explains it. */
  takeWindowUpdate(): boolean {
    return this.#sender.takeWindowUpdate();
  }

  growConnection(bytes: number): void {
    this.#sender.growConnection(bytes);
  }

  grow(id: number, bytes: number): void {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) this.#sender.grow(upload, bytes);
  }

  /** Sets the initial window of all streams. */
  setFirstWindow(bytes: number): void {
    this.#sender.setFirstWindow(bytes, this.#uploads.values());
  }
}
