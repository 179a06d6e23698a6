import { type Clock, realClock } from '@pintle/async';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import type { NamespacedDeclareOptions } from '../permissions/permissions.ts';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { ResourceError } from '../resource/errors.ts';
import { clientConfigOf, ownNamespaceOf, type WebhookAddress } from './address.ts';
import type { AdmissionHandler, Operation } from './admission.ts';
import { answerConversion } from './answer-conversion.ts';
import { type AnsweredReview, answerAdmission } from './answer-review.ts';
import { describeHook, type Hook, type HookOptions, hookNames, type RawHookOptions, ruleFor } from './hook.ts';
import { shapeChecker } from './shape-checker.ts';
import { type DefaultHandler, defaulting, type ValidateHandlers, validating } from './typed-handlers.ts';

export const CONVERT_PATH = '/convert';
const NEVER = new AbortController().signal;

/** Metrics of one path. */
interface Meter {
  started(): void;
  finished(code: number, durationMs: number): void;
}

export interface WebhooksOptions {
  /** Name of the webhook configurations. */
  readonly name: string;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly meter?: (path: string) => Meter;
  /** Declares access that the webhooks need, for RBAC. */
  readonly declare?: (type: ResourceType, verbs: readonly string[], options: NamespacedDeclareOptions) => void;
}

export interface WebhookConfigurations {
  readonly mutating: MutatingWebhookConfiguration;
  readonly validating: ValidatingWebhookConfiguration;
}

/**
 * Admission and conversion webhooks of an operator:
 *
 *     manager.webhooks
 *       .for(Fruit)
 *       .default((fruit) => { fruit.spec.comment ??= 'sweet'; })
 *       .validate({ delete: (fruit) => { if (fruit.spec.weight > 9) throw new Error('too heavy to throw away'); } });
 *
 * `handle` answers a review, with or without a socket.
 */
export class Webhooks {
  readonly name: string;
  protected readonly clock: Clock;
  protected readonly log: Log | undefined;
  readonly #meterOf: ((path: string) => Meter) | undefined;
  readonly #declare: NonNullable<WebhooksOptions['declare']>;
  readonly #hooks = new Map<string, Hook>();
  readonly #converted = new Map<string, DefinedResource>();
  readonly #meters = new Map<string, Meter>();

  constructor({ name, clock = realClock, log, meter, declare }: WebhooksOptions) {
    this.name = name;
    this.clock = clock;
    this.log = log;
    this.#meterOf = meter;
    this.#declare = declare ?? (() => undefined);
  }

  /** Adds webhooks for a kind, and the conversions of the resource, if any. */
  for<T extends KubernetesObject, Input extends KubernetesObject>(
    type: DefinedResource<T, Input>,
    options?: HookOptions,
  ): ResourceHooks<T, Input>;
  for<T extends KubernetesObject>(type: ResourceType<T>, options?: HookOptions): ResourceHooks<T>;
  for<T extends KubernetesObject>(type: ResourceType<T>, options: HookOptions = {}): ResourceHooks<T> {
    if (isDefined(type) && type.conversion !== undefined) this.convert(type);
    return new ResourceHooks(this, type, options);
  }

  /** Converts objects of resources between their versions. */
  convert(...resources: readonly DefinedResource[]): this {
    for (const resource of resources) {
      if (resource.conversion === undefined)
        throw new TypeError(`Cannot convert ${resource.kind}: its definition has no conversions`);
      this.#converted.set(`${resource.group}/${resource.kind}`, resource);
      this.#declare(CustomResourceDefinition, ['get', 'patch'], { names: [resource.definition.metadata.name ?? ''] });
    }
    this.#declareConfigurations();
    // Metrics exist from the start, at zero.
    this.#meter(CONVERT_PATH);
    return this;
  }

  /** Adds a webhook for any resources, by rules. Its response is sent to the server unchanged. */
  admit(kind: Hook['kind'], { name, rules, ...options }: RawHookOptions, handler: AdmissionHandler): this {
    this.add({ kind, name, path: options.path, rules, options, handler });
    return this;
  }

  /** Paths are unique. */
  add(hook: Hook): void {
    if (this.#hooks.has(hook.path) || hook.path === CONVERT_PATH)
      throw new TypeError(`Cannot add a webhook at ${hook.path}: the path is already in use`);
    this.#hooks.set(hook.path, hook);
    this.#meter(hook.path);
    this.#declareConfigurations();
  }

  get isEmpty(): boolean {
    return this.#hooks.size === 0 && this.#converted.size === 0;
  }

  /** True when a webhook is served at the path. */
  answers(path: string): boolean {
    return this.#hooks.has(path) || (path === CONVERT_PATH && this.#converted.size > 0);
  }

  /** Resources that these webhooks convert. */
  get converted(): readonly DefinedResource[] {
    return [...this.#converted.values()];
  }

  /**
   * Answers a review. Resolves with `undefined` when the path has no webhook, or the body is not a review. Refusals and
   * failures of handlers are answers.
   */
  async handle(
    path: string,
    review: JsonObject,
    { signal = NEVER }: { readonly signal?: AbortSignal } = {},
  ): Promise<JsonObject | undefined> {
    const meter = this.#meter(path);
    const start = this.clock.monotonic();
    meter?.started();
    let code = 400;
    try {
      const answered = await this.#answer(path, review, signal);
      if (answered !== undefined) code = answered.failure === undefined ? 200 : 500;
      if (answered?.failure !== undefined) this.#logFailure(path, answered.failure);
      return answered?.review;
    } finally {
      meter?.finished(code, this.clock.monotonic() - start);
    }
  }

  /** Returns the webhook configurations. */
  configurations(address: WebhookAddress): WebhookConfigurations {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const metadata = { name: this.name };
    const webhooks = (kind: Hook['kind']) =>
      [...this.#hooks.values()]
        .filter((hook) => hook.kind === kind)
        .map((hook) => describeHook(withoutOwnNamespace(hook, address), clientConfigOf(address, hook.path)));
    return {
      mutating: { apiVersion, kind: 'MutatingWebhookConfiguration', metadata, webhooks: webhooks('Mutating') },
      validating: { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata, webhooks: webhooks('Validating') },
    };
  }

  /**
   * The operator writes the certificate authorities into its configurations, and reads them to find those of removed webhooks.
   * The deployment creates them.
   */
  #declareConfigurations(): void {
    for (const configuration of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
      this.#declare(configuration, ['get', 'patch'], { names: [this.name] });
  }

  async #answer(path: string, review: JsonObject, signal: AbortSignal): Promise<AnsweredReview | undefined> {
    if (path === CONVERT_PATH) return answerConversion(review, (key) => this.#converted.get(key)?.conversion);
    const hook = this.#hooks.get(path);
    return hook && (await answerAdmission(review, hook.handler, signal));
  }

  #meter(path: string): Meter | undefined {
    if (this.#meterOf === undefined || !this.answers(path)) return undefined;
    const meter = this.#meters.get(path) ?? this.#meterOf(path);
    this.#meters.set(path, meter);
    return meter;
  }

  /** @internal */
  logUnconverted(error: ResourceError): void {
    this.log?.warn('Set no defaults', { reason: error.message, ...errorFields(error.cause) });
  }

  #logFailure(path: string, failure: unknown): void {
    this.log?.error('Webhook failed', { path, ...errorFields(failure) });
  }
}

/** Webhooks of one kind. */
export class ResourceHooks<T extends KubernetesObject, Input extends KubernetesObject = T> {
  readonly #webhooks: Webhooks;
  readonly #type: ResourceType<T>;
  readonly #options: HookOptions;

  constructor(webhooks: Webhooks, type: ResourceType<T>, options: HookOptions) {
    this.#webhooks = webhooks;
    this.#type = type;
    this.#options = options;
  }

  /**
   * Called for creates and updates, before validation. Objects of other versions are sent unchanged and converted here:
   * otherwise the server would refuse an object that cannot be converted without naming the missing field.
   */
  default(handler: DefaultHandler<T, Input>, options: HookOptions = {}): this {
    const type = this.#type;
    const { conversion } = type as Partial<DefinedResource>;
    const handle = defaulting(handler, {
      hasShape: shapeChecker(type),
      apiVersion: type.apiVersion,
      conversion,
      onUnconverted: (error) => this.#webhooks.logUnconverted(error),
    });
    return this.#add('Mutating', ['CREATE', 'UPDATE'], handle, options);
  }

  /** Called before an object is stored or deleted, for the operations that have a handler. */
  validate(handlers: ValidateHandlers<T>, options: HookOptions = {}): this {
    const operations = (['create', 'update', 'delete'] as const).filter((name) => handlers[name] !== undefined);
    const asked = operations.map((name) => name.toUpperCase() as Operation);
    return this.#add('Validating', asked, validating(handlers), options);
  }

  #add(kind: Hook['kind'], operations: readonly Operation[], handler: AdmissionHandler, options: HookOptions): this {
    const { name, path } = hookNames(kind, this.#type);
    const all = { ...this.#options, ...options };
    const rule = ruleFor(this.#type, operations);
    const isExact = all.matchPolicy === 'Exact';
    const rules = [kind === 'Mutating' && !isExact ? { ...rule, apiVersions: versionsOf(this.#type) } : rule];
    this.#webhooks.add({ kind, name, path: all.path ?? path, rules, options: all, handler });
    return this;
  }
}

/** Returns all served versions if this process converts them, otherwise the version of the webhook. */
function versionsOf(type: ResourceType): string[] {
  if (!isDefined(type) || type.conversion === undefined) return [type.version];
  return type.definition.spec.versions.filter(({ served }) => served).map(({ name }) => name);
}

function isDefined(type: ResourceType): type is DefinedResource {
  return 'definition' in type;
}

/**
 * Excludes the namespace of the operator from webhooks for built-in kinds without a namespace selector: when the operator is
 * down, its webhooks must not prevent its pods from starting.
 */
function withoutOwnNamespace(hook: Hook, address: WebhookAddress): Hook {
  const namespace = ownNamespaceOf(address);
  const isBuiltin = hook.rules.some(({ apiGroups = [] }) => apiGroups.some(isBuiltinGroup));
  if (namespace === undefined || !isBuiltin || hook.options.namespaceSelector !== undefined) return hook;
  const elsewhere = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] };
  return { ...hook, options: { ...hook.options, namespaceSelector: { matchExpressions: [elsewhere] } } };
}

function isBuiltinGroup(group: string): boolean {
  return group === '*' || !group.includes('.') || group.endsWith('.k8s.io');
}
