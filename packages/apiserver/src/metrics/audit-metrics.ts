import type { MetricsRegistry } from '@pintle/metrics';
import { counter } from '@pintle/metrics';
import type { AuditOptions, AuditSink } from '../audit/index.ts';

/** Audit events that were made, and those that were lost. */
export class AuditMetrics {
  readonly #sinks: AuditSink[] = [];
  #events = 0;

  constructor(registry: MetricsRegistry) {
    const read = (name: string, help: string, value: () => number): void => {
      registry.add(counter(name, help, [])).cell().read = value;
    };
    read(
      'apiserver_audit_event_total',
      'Audit events that were made and given to the log and the webhook.',
      () => this.#events,
    );
    read(
      'apiserver_audit_error_total',
      'Audit events that were lost: the disk or the webhook failed or did not keep up.',
      () => this.#sinks.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
    );
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
