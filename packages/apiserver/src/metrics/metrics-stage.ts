import type { Clock } from '@pintle/async';
import { attempt } from '@pintle/async';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';
import { toStatus } from '../http/status.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import { whenSent } from '../request/sent.ts';
import { labelsOf } from './request-labels.ts';
import type { RequestSeries, ServerMetrics } from './server-metrics.ts';

interface MetricsStageOptions {
  readonly metrics: ServerMetrics;
  readonly catalog: DiscoveryCatalog;
  readonly clock: Clock;
}

/** Counts and times every request. Stands first, so that nothing of a request's way is left out. */
export function metricsStage({ metrics, catalog, clock }: MetricsStageOptions): Stage {
  return (state, next) => {
    const labels = labelsOf(state, catalog);
    const series = metrics.series(labels);
    const startedMs = clock.monotonic();
    const finish = isLongRunning(state.info) ? series.beginLongRunning() : metrics.begin(isMutating(state));
    const end = (code: number): void => {
      finish();
      series.answered(code, (clock.monotonic() - startedMs) / 1000);
    };
    const sent = (response: ApiResponse): ApiResponse => {
      const { status, body } = response;
      const { verb } = labels;
      if (body instanceof Uint8Array && (verb === 'GET' || verb === 'LIST')) series.sized(body.length);
      return whenSent(response, state.request, {
        done: () => end(status),
        ...(verb === 'WATCH' && { chunk: (bytes: Uint8Array) => countEvents(bytes, response, series) }),
      });
    };
    return attempt(
      () => next(state),
      sent,
      (error) => {
        end(toStatus(error).code ?? 500);
        throw error;
      },
    );
  };
}

/** Of a watch in JSON, every line is an event; of any other, every chunk. */
function countEvents(bytes: Uint8Array, { headers }: ApiResponse, series: RequestSeries): void {
  const isByLine = headers['content-type'] === MEDIA_TYPES.json;
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const newline = isByLine ? bytes.indexOf(LINE_FEED, start) : -1;
    end = newline < 0 ? bytes.length : newline + 1;
    series.watched(end - start);
  }
}

const LINE_FEED = 0x0a;

function isMutating({ request }: RequestState): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}
