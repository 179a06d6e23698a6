import type { RequestLog } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import type { OperatorSource } from '@pintle/console/server';
import { TelemetryHub } from '@pintle/console/server';
import { type OperatorReport, TelemetryCollector } from '@pintle/operator/telemetry';

/** Messages between a control plane, `pintle dev` and its operator, over their IPC channels. */
export type TelemetryMessage =
  /** Towards the operator: start or stop reporting. */
  | { readonly telemetry: 'start' | 'stop' }
  /** From the operator. */
  | { readonly telemetry: 'reports'; readonly reports: readonly OperatorReport[] };

/** Collects telemetry of this process, of the operator that `pintle dev` runs beside it, and of those that report. */
export function openTelemetry(requests: RequestLog, reported: OperatorSource): TelemetryHub {
  const sources = [ofThisProcess, ...(process.send === undefined ? [] : [ofParent]), reported];
  return new TelemetryHub({ clock: realClock, sources, requests });
}

const ofThisProcess: OperatorSource = {
  open: (onReport) => new TelemetryCollector(realClock, (reports) => reports.forEach(onReport)),
};

const ofParent: OperatorSource = {
  open(onReport) {
    const onMessage = (message: unknown): void => {
      if (isTelemetry(message) && message.telemetry === 'reports') message.reports.forEach(onReport);
    };
    process.on('message', onMessage);
    // A listener keeps the process alive, which this one must not.
    process.channel?.unref();
    send({ telemetry: 'start' });
    return {
      [Symbol.dispose]() {
        process.off('message', onMessage);
        send({ telemetry: 'stop' });
      },
    };
  },
};

/** Messages to a parent that is gone are dropped. */
function send(message: TelemetryMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

export function isTelemetry(message: unknown): message is TelemetryMessage {
  return typeof message === 'object' && message !== null && 'telemetry' in message;
}
