import type { Registry } from 'prom-client';
import type { AuditOptions, AuditSink } from '../audit/index.ts';
import { Readings } from './tally.ts';

/** Audit events that were made, and those that were lost. */
export class AuditMetrics {
  readonly #sinks: AuditSink[] = [];
  #events = 0;

  constructor(registry: Registry) {
    new Readings({
      name: 'apiserver_audit_event_total',
      help: 'Audit events that were made and given to the log and the webhook.',
      type: 'counter',
      registry,
      samples: () => [{ labels: {}, value: this.#events }],
    });
    new Readings({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that were lost: the disk or the webhook failed or did not keep up.',
      type: 'counter',
      registry,
      samples: () => [{ labels: {}, value: this.#sinks.reduce((sum, { dropped = 0 }) => sum + dropped, 0) }],
    });
  }

  /** The same options, with sinks whose events are counted. */
  counted(options: AuditOptions): AuditOptions {
    const { sink, anonymousSink } = options;
    return {
      ...options,
      sink: this.#countedSink(sink),
      ...(anonymousSink && { anonymousSink: this.#countedSink(anonymousSink) }),
    };
  }

  #countedSink(sink: AuditSink): AuditSink {
    this.#sinks.push(sink);
    return {
      write: (event) => {
        this.#events++;
        sink.write(event);
      },
      get isFailing() {
        return sink.isFailing ?? false;
      },
    };
  }
}
