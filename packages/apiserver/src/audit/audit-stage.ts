import type { Clock, Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { Status, StatusCause, StatusDetails } from '@pintle/machinery/errors';
import { internalError, shorten, unauthorizedError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { asJson, isJsonObject, parseJson, requestLimits } from '@pintle/machinery/json';
import { formatMicroTime } from '@pintle/machinery/time';
import { isUnexpected, toStatus } from '../http/status.ts';
import type { ApiRequest, ApiResponse, Peer } from '../request/exchange.ts';
import { alterRequest, headerOf, whenSent } from '../request/exchange.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { AuditTrail } from '../request/pipeline.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import { isLongRunning } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import type { AuditEvent, AuditObject, AuditUser } from './audit-event.ts';
import type { AuditDecision, AuditPolicy, AuditStageName } from './audit-policy.ts';
import { DEFAULT_AUDIT_POLICY, decideAudit } from './audit-policy.ts';
import type { AuditSink } from './audit-sink.ts';

export interface AuditOptions {
  readonly sink: AuditSink;
  /**
   * Receives events of unauthenticated requests, so that no number of them can displace others. Default: `sink`.
   */
  readonly anonymousSink?: AuditSink;
  /** Fails a request, before it changes anything, when its RequestReceived event cannot be written. */
  readonly isStrict?: boolean;
  /** Default: metadata of all requests. */
  readonly policy?: AuditPolicy;
}

const MAX_USER_AGENT = 1024;
const MAX_BODY_BYTES = requestLimits.maxBytes;
/** Longest response in which the name of a new object is looked up. */
const MAX_NAMED_BYTES = 64 * 1024;

/** Records requests and their results as the policy decides. Stands after authentication. */
export function auditStage(options: AuditOptions, clock: Clock): Stage {
  const { sink, anonymousSink = sink, isStrict = false, policy = DEFAULT_AUDIT_POLICY } = options;
  return (state, next) => {
    const decision = decideAudit(policy, state.user, state.info);
    if (decision.level === 'None') return next(state);
    const chosen = state.user === ANONYMOUS ? anonymousSink : sink;
    return new AuditRecord(chosen, clock, state, decision).follow(next, isStrict);
  };
}

/** Records a request that was refused for an invalid credential. */
export function auditRefusal(options: AuditOptions, clock: Clock, state: RequestState): void {
  const { sink, anonymousSink = sink, policy = DEFAULT_AUDIT_POLICY } = options;
  const refused = { ...state, user: NO_USER };
  const decision = decideAudit(policy, NO_USER, state.info);
  if (decision.level === 'None') return;
  const { status } = unauthorizedError();
  new AuditRecord(anonymousSink, clock, refused, decision).write('ResponseStarted', shownStatus(status));
}

const NO_USER: UserInfo = { username: '', groups: [] };

class AuditRecord {
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #state: RequestState;
  readonly #decision: AuditDecision;
  readonly #trail: AuditTrail;
  readonly #receivedAt: string;
  #requestBody: BodyTap | undefined;

  constructor(sink: AuditSink, clock: Clock, state: RequestState, decision: AuditDecision) {
    this.#sink = sink;
    this.#clock = clock;
    this.#state = state;
    this.#decision = decision;
    this.#trail = new AuditTrail({ takesBodies: decision.level.startsWith('Request') });
    this.#receivedAt = formatMicroTime(clock.now() * 1000);
  }

  follow(next: Next, isStrict: boolean): Eventual<ApiResponse> {
    this.write('RequestReceived');
    const written = isStrict ? this.#sink.written?.() : undefined;
    return after(written, () => this.#followWritten(next, isStrict));
  }

  #followWritten(next: Next, isStrict: boolean): Eventual<ApiResponse> {
    if (isStrict && this.#sink.isFailing && !this.#decision.omitStages.has('RequestReceived')) {
      throw internalError('failed to store audit event');
    }
    const { request, info } = this.#state;
    this.#state.audit = this.#trail;
    return attempt(
      () => next(this.#tapped()),
      (response) => {
        if (isLongRunning(info)) this.write('ResponseStarted', { metadata: {}, code: response.status });
        const sent = whenSent(response, request, () => this.#complete(response));
        return after(this.#sink.written?.(), () => sent);
      },
      (error) => {
        this.#refused(error);
        return after(this.#sink.written?.(), () => {
          throw error;
        });
      },
    );
  }

  #refused(error: unknown): void {
    const status = toStatus(error);
    const bodies = this.#bodies(asJson(status), nameOfRefused(this.#state, status));
    if (isUnexpected(error)) this.write('Panic', shownStatus(status), bodies);
    else {
      if (isLongRunning(this.#state.info)) this.write('ResponseStarted', shownStatus(status), bodies);
      this.write('ResponseComplete', shownStatus(status), bodies);
    }
  }

  write(stage: AuditStageName, responseStatus?: AuditEvent['responseStatus'], more: Bodies = NO_BODIES): void {
    const { level, omitStages } = this.#decision;
    if (omitStages.has(stage)) return;
    const { request, info, auditId, user, authenticatedBy } = this.#state;
    const { impersonated, impersonationConstraint, annotations } = this.#trail;
    if (authenticatedBy !== '') annotations['pintle.dev/authenticated-by'] = authenticatedBy;
    const { requestObject, responseObject } = more;
    this.#sink.write({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: auditId,
      stage,
      requestURI: request.query === '' ? request.path : `${request.path}?${request.query}`,
      verb: info.verb,
      user: auditUser(user),
      impersonatedUser: impersonated && auditUser(impersonated),
      authenticationMetadata: impersonationConstraint ? { impersonationConstraint } : undefined,
      sourceIPs: sourcesOf(request.peer),
      userAgent: userAgentOf(request),
      objectRef: info.kind === 'resource' ? objectOf(info, shorten(more.name ?? info.name, MAX_REFUSAL)) : undefined,
      responseStatus,
      requestObject,
      responseObject,
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: formatMicroTime(this.#clock.now() * 1000),
      // Sinks may read the event later; a request that continues may add annotations until then.
      annotations: isLast(stage) ? annotations : { ...annotations },
    });
  }

  #tapped(): RequestState {
    const { level } = this.#decision;
    if (level !== 'Request' && level !== 'RequestResponse') return this.#state;
    const { request } = this.#state;
    this.#requestBody = new BodyTap(request.body);
    return { ...this.#state, request: alterRequest(request, { body: this.#requestBody }) };
  }

  #complete(response: ApiResponse): void {
    const answer = this.#decision.level === 'RequestResponse' ? bodyOf(response, MAX_BODY_BYTES) : undefined;
    this.write('ResponseComplete', statusOf(response), this.#bodies(answer, this.#named(response)));
  }

  #bodies(answer: JsonValue | undefined, name: string | undefined): Bodies {
    const { level, omitManagedFields } = this.#decision;
    const shown = (body: JsonValue | undefined): JsonValue | undefined =>
      body !== undefined && omitManagedFields ? withoutManagedFields(body) : body;
    return {
      name,
      requestObject: shown(this.#requestBody?.value()),
      responseObject: level === 'RequestResponse' ? shown(answer) : undefined,
    };
  }

  /** Returns the name in the response of a create, which the server may have generated. */
  #named(response: ApiResponse): string | undefined {
    const { info } = this.#state;
    if (info.kind === 'path' || info.verb !== 'create' || info.name !== '' || response.status !== 201) return undefined;
    const name = nameIn(response);
    return typeof name === 'string' ? name : undefined;
  }
}

/** Returns the name in the refusal of a create, unless the refusal concerns another object. */
function nameOfRefused({ info }: RequestState, { reason, details }: Status): string | undefined {
  if (info.kind === 'path' || info.verb !== 'create' || info.name !== '') return undefined;
  return reason === 'Invalid' || details?.kind === info.resource ? details?.name : undefined;
}

function isLast(stage: AuditStageName): boolean {
  return stage === 'ResponseComplete' || stage === 'Panic';
}

/** Details of a request beyond its URL. */
interface Bodies {
  /** Name of the created object. */
  readonly name: string | undefined;
  readonly requestObject: JsonValue | undefined;
  readonly responseObject: JsonValue | undefined;
}

const NO_BODIES: Bodies = { name: undefined, requestObject: undefined, responseObject: undefined };

/** Stored objects begin with their kind and resourceVersion, mostly followed by their name. */
const NAMED = /^\{"kind":"\w+","apiVersion":"[\w./-]+","metadata":\{"resourceVersion":"\d+","name":"([\w.:-]+)"/;
const HEAD_BYTES = 512;

/** Returns the name of the object in a response, from its first bytes where possible. */
function nameIn(response: ApiResponse): JsonValue | undefined {
  const { body } = response;
  if (!(body instanceof Uint8Array)) return undefined;
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES)).toString('latin1');
  const match = NAMED.exec(head);
  if (match !== null) return match[1];
  const parsed = bodyOf(response, MAX_NAMED_BYTES);
  return isJsonObject(parsed) && isJsonObject(parsed.metadata) ? parsed.metadata.name : undefined;
}

/** Passes a body on and keeps a copy within the limit. */
class BodyTap implements AsyncIterable<Uint8Array> {
  readonly #source: ApiRequest['body'];
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(source: ApiRequest['body']) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const source = this.#source instanceof Uint8Array ? [this.#source] : this.#source;
    for await (const chunk of source) {
      this.#length += chunk.length;
      if (this.#length <= MAX_BODY_BYTES) this.#chunks.push(chunk);
      yield chunk;
    }
  }

  /** Returns the body when it is JSON. Other encodings are not recorded. */
  value(): JsonValue | undefined {
    if (this.#length === 0 || this.#length > MAX_BODY_BYTES) return undefined;
    return tryParse(Buffer.concat(this.#chunks));
  }
}

function bodyOf(response: ApiResponse, maxBytes: number): JsonValue | undefined {
  const { body, headers } = response;
  if (!(body instanceof Uint8Array) || body.length > maxBytes) return undefined;
  return String(headers['content-type']).startsWith('application/json') ? tryParse(body) : undefined;
}

function tryParse(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { metadata, items } = value;
  return {
    ...value,
    ...(isJsonObject(metadata) && { metadata: without(metadata, 'managedFields') }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
  };
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _left, ...rest } = object;
  return rest;
}

const statuses = new Map<number, Partial<Status>>();

/** Returns the Status in a response, or else one shared object for each code, whose JSON is encoded once. */
function statusOf(response: ApiResponse): Partial<Status> {
  const { status: code } = response;
  const answered = answeredStatus(response);
  if (answered !== undefined) return { ...shownStatus(answered), code };
  let status = statuses.get(code);
  if (status === undefined) {
    status = { metadata: {}, code };
    statuses.set(code, status);
  }
  return status;
}

const STATUS_HEAD = Buffer.from('{"kind":"Status",');

function answeredStatus(response: ApiResponse): Partial<Status> | undefined {
  const { body } = response;
  if (!(body instanceof Uint8Array) || body.length < STATUS_HEAD.length) return undefined;
  if (STATUS_HEAD.compare(body, 0, STATUS_HEAD.length) !== 0) return undefined;
  return bodyOf(response, MAX_NAMED_BYTES) as Partial<Status> | undefined;
}

/** Characters of a refusal in an event: its texts come from clients, and must not push older events out of the log. */
const MAX_REFUSAL = 8 * 1024;

/** Returns a Status as in Kubernetes' events: without its type and empty fields. */
function shownStatus({ metadata = {}, status, message, reason, details, code }: Partial<Status>): Partial<Status> {
  return {
    metadata,
    ...(status && { status }),
    ...(message && { message: shorten(message, MAX_REFUSAL) }),
    ...(reason && { reason }),
    ...(details && { details: shownDetails(details) }),
    ...(code && { code }),
  };
}

function shownDetails({ name, causes, ...rest }: StatusDetails): StatusDetails {
  return { ...(name && { name: shorten(name, MAX_REFUSAL) }), ...rest, ...(causes && { causes: shownCauses(causes) }) };
}

/** Returns the first causes, up to the length of a message. */
function shownCauses(causes: readonly StatusCause[]): readonly StatusCause[] {
  let left = MAX_REFUSAL;
  const end = causes.findIndex(({ message = '', field = '' }) => {
    left -= message.length + field.length;
    return left < 0;
  });
  return end === -1 ? causes : causes.slice(0, end);
}

const auditUsers = new WeakMap<UserInfo, AuditUser>();

/** Returns the same object for the same user, so that its JSON is encoded once. */
function auditUser(user: UserInfo): AuditUser {
  let shown = auditUsers.get(user);
  if (shown === undefined) {
    const { username, uid, groups, extra } = user;
    shown = username === '' ? {} : { username, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
    auditUsers.set(user, shown);
  }
  return shown;
}

const sources = new WeakMap<Peer, readonly string[]>();

/** Returns the same list for the same connection, so that its JSON is encoded once. */
function sourcesOf(peer: Peer): readonly string[] | undefined {
  if (peer.address === '') return undefined;
  let list = sources.get(peer);
  if (list === undefined) {
    list = [peer.address];
    sources.set(peer, list);
  }
  return list;
}

function userAgentOf(request: ApiRequest): string | undefined {
  const userAgent = headerOf(request, 'user-agent');
  const isLong = userAgent !== undefined && userAgent.length > MAX_USER_AGENT;
  return isLong ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent;
}

function objectOf(info: ResourceRequest, name: string): AuditObject {
  return {
    resource: info.resource,
    namespace: info.namespace || undefined,
    name: name || undefined,
    apiGroup: info.group || undefined,
    apiVersion: info.version,
    subresource: info.subresource || undefined,
  };
}
