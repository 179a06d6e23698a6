import type { AuditSink } from './audit-event.ts';

/** Tells several of everything. */
export function teeSink(
  sinks: readonly (AuditSink & { close(): Promise<void> })[],
): AuditSink & { close(): Promise<void> } {
  return {
    write: (event) => {
      for (const sink of sinks) sink.write(event);
    },
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}
