import type { ChildProcess } from 'node:child_process';
import type { TelemetryMessage } from '../serve/telemetry.ts';

/** Passes telemetry from the operator to the console of the control plane, while a page looks. */
export class TelemetryRelay {
  readonly #plane: ChildProcess;
  #operator: { send(message: TelemetryMessage): void } | undefined;
  #isWanted = false;

  constructor(plane: ChildProcess) {
    this.#plane = plane;
    plane.on('message', (message) => {
      if (!isRequest(message)) return;
      this.#isWanted = message.telemetry === 'start';
      this.#operator?.send(message);
    });
  }

  /** Connects the operator that runs now. */
  connect(operator: { send(message: TelemetryMessage): void }): void {
    this.#operator = operator;
    if (this.#isWanted) operator.send({ telemetry: 'start' });
  }

  /** Passes a message of the operator on. */
  readonly fromOperator = (message: unknown): void => {
    if (this.#isWanted && this.#plane.connected) this.#plane.send(message as object, () => undefined);
  };
}

function isRequest(message: unknown): message is { readonly telemetry: 'start' | 'stop' } {
  const telemetry = (message as { telemetry?: unknown } | null)?.telemetry;
  return telemetry === 'start' || telemetry === 'stop';
}
