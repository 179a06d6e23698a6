import type { Clock } from '@pintle/async';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { whenSent } from '../http/sent.ts';
import { toStatus } from '../http/status.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import type { RequestLabels } from './request-labels.ts';
import { labelsOf } from './request-labels.ts';
import type { RequestSeries, ServerMetrics } from './server-metrics.ts';

export interface MetricsStageOptions {
  readonly metrics: ServerMetrics;
  readonly catalog: DiscoveryCatalog;
  readonly clock: Clock;
}

/** Counts and times every request. Stands first, so that nothing of a request's way is left out. */
export function metricsStage({ metrics, catalog, clock }: MetricsStageOptions): Stage {
  return async (state, next) => {
    const labels = labelsOf(state, catalog);
    const series = metrics.series(labels);
    const startedMs = clock.monotonic();
    const finish = isLongRunning(state.info) ? series.beginLongRunning() : metrics.begin(isMutating(state));
    const end = (code: number): void => {
      finish();
      series.answered(code, (clock.monotonic() - startedMs) / 1000);
    };
    let response: ApiResponse;
    try {
      response = await next(state);
    } catch (error) {
      end(toStatus(error).code ?? 500);
      throw error;
    }
    const { status } = response;
    return whenSent(measured(series, labels, response), state.request, () => end(status));
  };
}

function isMutating({ request }: RequestState): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}

/** Sizes are known of whole bodies; of a watch, every chunk is an event. */
function measured(series: RequestSeries, { verb }: RequestLabels, response: ApiResponse): ApiResponse {
  const { body } = response;
  if (body instanceof Uint8Array) {
    if (verb === 'GET' || verb === 'LIST') series.sized(body.length);
    return response;
  }
  return verb === 'WATCH' ? { ...response, body: counted(body, series) } : response;
}

function counted(body: AsyncIterable<Uint8Array>, series: RequestSeries): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          const step = await source.next();
          if (!step.done) series.watched(step.value.length);
          return step;
        },
        return: async () => {
          await source.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
