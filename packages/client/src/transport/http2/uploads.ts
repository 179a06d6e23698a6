import { Fault, FIRST_WINDOW_BYTES, FLAG, FRAME, frameOf, MAX_FRAME_BYTES, MAX_WINDOW_BYTES } from './frame.ts';

/** A body that is on its way. */
interface Upload {
  readonly body: Uint8Array;
  sent: number;
  /** So much the server takes now. Less than nothing when it has changed its mind. */
  window: number;
}

/** Where they go. */
export interface UploadOutbox {
  /** Much that was written before is still waiting. */
  readonly isFull: boolean;
  write(bytes: Uint8Array): void;
}

/** Sends the bodies of requests, as much as the server takes, by turns. Those that wait are the callers' own memory. */
export class Uploads {
  readonly #outbox: UploadOutbox;
  readonly #uploads = new Map<number, Upload>();
  #window = FIRST_WINDOW_BYTES;
  #firstWindow = FIRST_WINDOW_BYTES;

  constructor(outbox: UploadOutbox) {
    this.#outbox = outbox;
  }

  /** `body`: not empty, and left alone until it is sent. */
  add(streamId: number, body: Uint8Array): void {
    this.#uploads.set(streamId, { body, sent: 0, window: this.#firstWindow });
    this.send();
  }

  /** Stops sending. Tells whether something was left to send. */
  remove(streamId: number): boolean {
    return this.#uploads.delete(streamId);
  }

  /** Goes on where it can: after a window has grown, or what was written is gone. */
  send(): void {
    let isSending = true;
    while (isSending) {
      isSending = false;
      for (const [streamId, upload] of this.#uploads) {
        if (this.#window === 0 || this.#outbox.isFull) return;
        if (upload.window > 0) {
          this.#sendPart(streamId, upload);
          isSending = true;
        }
      }
    }
  }

  growConnection(bytes: number): void {
    this.#window = grown(this.#window, checked(bytes));
    this.send();
  }

  grow(streamId: number, bytes: number): void {
    const upload = this.#uploads.get(streamId);
    if (upload === undefined) return;
    upload.window = grown(upload.window, checked(bytes));
    this.send();
  }

  /** The windows of all streams begin with so much, and those that are open change by the difference. */
  setFirstWindow(bytes: number): void {
    const difference = bytes - this.#firstWindow;
    this.#firstWindow = bytes;
    for (const upload of this.#uploads.values()) upload.window = grown(upload.window, difference);
    this.send();
  }

  #sendPart(streamId: number, upload: Upload): void {
    const { body, sent } = upload;
    const length = Math.min(body.length - sent, upload.window, this.#window, MAX_FRAME_BYTES);
    const isLast = sent + length === body.length;
    upload.sent += length;
    upload.window -= length;
    this.#window -= length;
    if (isLast) this.#uploads.delete(streamId);
    const head = frameOf({ type: FRAME.data, flags: isLast ? FLAG.endStream : 0, streamId }, length, 0);
    this.#outbox.write(head);
    this.#outbox.write(body.subarray(sent, sent + length));
  }
}

/** `bytes`: fewer than none where a server takes less than it said before. */
function grown(window: number, bytes: number): number {
  if (window + bytes > MAX_WINDOW_BYTES) throw new Fault('FLOW_CONTROL_ERROR', 'a window is larger than allowed');
  return window + bytes;
}

function checked(bytes: number): number {
  if (bytes === 0) throw new Fault('PROTOCOL_ERROR', 'a window grows by nothing');
  return bytes;
}
