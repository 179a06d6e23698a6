import type { Clock, Random } from '@pintle/async';
import type { Store } from '@pintle/store';
import { authenticateStage } from './auth/authenticate-stage.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { authorizeStage } from './auth/authorize-stage.ts';
import type { Authorizer } from './auth/authorizer.ts';
import { MastersAuthorizer } from './auth/authorizer.ts';
import { impersonateStage } from './auth/impersonate-stage.ts';
import { ANONYMOUS } from './auth/user-info.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import type { ApiRequest, ApiResponse } from './http/exchange.ts';
import { headerOf, textResponse } from './http/exchange.ts';
import { isUnexpected, statusResponse } from './http/status.ts';
import { servePath } from './paths/paths.ts';
import { builtinResources } from './registry/builtin-resources.ts';
import { serveResource } from './registry/endpoints.ts';
import { ResourceRegistry } from './registry/resource-registry.ts';
import { Warnings } from './registry/warnings.ts';
import type { Next, RequestState } from './request/pipeline.ts';
import { compose } from './request/pipeline.ts';
import { MalformedPath, readRequestInfo } from './request/request-info.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly authenticator: Authenticator;
  /** Default: `system:masters` may do everything, nobody else anything. */
  readonly authorizer?: Authorizer;
  /** Told of errors that no request can explain, once each. */
  readonly onError?: (error: unknown, request: { readonly auditId: string; readonly path: string }) => void;
}

/**
 * Kubernetes' API over a store. Sockets, tests and other parts of the process all come through `handle`:
 *
 *     request info ► authenticate ► impersonate ► authorize ► endpoint
 */
export class ApiServer {
  readonly resources: ResourceRegistry;
  readonly #options: ApiServerOptions;
  readonly #pipeline: Next;

  private constructor(options: ApiServerOptions) {
    this.#options = options;
    this.resources = new ResourceRegistry(builtinResources());
    const authorizer = options.authorizer ?? new MastersAuthorizer();
    this.#pipeline = compose(
      [authenticateStage(options.authenticator), impersonateStage(authorizer), authorizeStage(authorizer)],
      (state) => this.#serve(state),
    );
  }

  /** Resolves once the objects that every server has are in the store. */
  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const server = new ApiServer(options);
    await bootstrap((request) => server.handle(request));
    return server;
  }

  /** Answers any request. Never rejects: what goes wrong becomes an answer. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const auditId = headerOf(request, 'audit-id') ?? this.#options.random.uuid();
    const warnings = new Warnings();
    const response = await this.#answer(request, auditId, warnings);
    response.headers['audit-id'] = auditId;
    response.headers['cache-control'] ??= 'no-cache, private';
    const texts = warnings.toHeaders();
    if (texts.length > 0) response.headers.warning = texts;
    return response;
  }

  async #answer(request: ApiRequest, auditId: string, warnings: Warnings): Promise<ApiResponse> {
    try {
      const query = new URLSearchParams(request.query);
      const info = readRequestInfo(request, query);
      return await this.#pipeline({ request, query, info, auditId, warnings, user: ANONYMOUS, authenticatedBy: '' });
    } catch (error) {
      if (error instanceof MalformedPath) return textResponse(400, `${error.message}\n`);
      if (isUnexpected(error)) this.#options.onError?.(error, { auditId, path: request.path });
      return statusResponse(error);
    }
  }

  async #serve(state: RequestState): Promise<ApiResponse> {
    const { info } = state;
    const foundation = { ...this.#options, resources: this.resources };
    return info.kind === 'resource'
      ? await serveResource(foundation, state, info)
      : await servePath(foundation, state, info);
  }
}
