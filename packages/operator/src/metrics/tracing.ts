import type { Interceptor } from '@pintle/client';
import type { Around } from './manager-metrics.ts';

/** Global symbol of the OpenTelemetry API, version 1.x, that holds the registered providers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export interface Tracing {
  readonly reconcile: Around;
  readonly request: Interceptor;
}

/**
 * Creates spans for reconciles and their requests. Resolves with `undefined`, and loads nothing, when the program has not
 * registered a tracer provider.
 */
export async function openTracing(): Promise<Tracing | undefined> {
  const registered = Reflect.get(globalThis, REGISTERED) as { readonly trace?: unknown } | undefined;
  if (registered?.trace === undefined) return undefined;
  const { context, propagation, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const tracer = trace.getTracer('@pintle/operator');

  async function within<R>(
    name: string,
    options: { readonly kind: number; readonly attributes: Record<string, string> },
    work: (note: (attributes: Record<string, string | number>) => void) => Promise<R>,
  ): Promise<R> {
    const span = tracer.startSpan(name, options);
    try {
      return await context.with(trace.setSpan(context.active(), span), () =>
        work((attributes) => void span.setAttributes(attributes)),
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      span.recordException(error instanceof Error ? error : message);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    reconcile: (controller, { namespace, name }, reconcile) => {
      const attributes = { controller, 'k8s.object.name': name, ...(namespace && { 'k8s.namespace.name': namespace }) };
      return within(`reconcile ${controller}`, { kind: SpanKind.INTERNAL, attributes }, reconcile);
    },
    request: (request, next) => {
      const attributes = { 'http.request.method': request.method, 'url.path': request.path };
      return within(request.method, { kind: SpanKind.CLIENT, attributes }, async (note) => {
        const headers: Record<string, string | readonly string[]> = { ...request.headers };
        propagation.inject(context.active(), headers);
        const response = await next({ ...request, headers });
        note({ 'http.response.status_code': response.status });
        return response;
      });
    },
  };
}
