import type { AuditSink } from './audit-event.ts';

export type ClosableSink = AuditSink & { close(): Promise<void> };

/** Tells several of everything. */
export function teeSink(sinks: readonly ClosableSink[]): ClosableSink {
  return {
    write: (event) => {
      for (const sink of sinks) sink.write(event);
    },
    get isFailing() {
      return sinks.some((sink) => sink.isFailing);
    },
    get dropped() {
      return sinks.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
    },
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}
