import { type Clock, realClock } from '@pintle/async';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import type { PlacedDeclareOptions } from '../permissions/permissions.ts';
import type { DefinedResource } from '../resource/define-resource.ts';
import { clientConfigOf, ownNamespaceOf, type WebhookAddress } from './address.ts';
import type { AdmissionHandler, Operation } from './admission.ts';
import { answerConversion } from './answer-conversion.ts';
import { type AnsweredReview, answerAdmission } from './answer-review.ts';
import { shapeOf } from './has-shape.ts';
import { describeHook, type Hook, type HookOptions, hookNames, type RawHookOptions, ruleFor } from './hook.ts';
import { type DefaultHandler, defaulting, type ValidateHandlers, validating } from './typed-handlers.ts';

export const CONVERT_PATH = '/convert';
const NEVER = new AbortController().signal;

/** Counts what one path is asked. */
interface Meter {
  started(): void;
  finished(code: number, durationMs: number): void;
}

export interface WebhooksOptions {
  /** What the configurations are called. */
  readonly name: string;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly meter?: (path: string) => Meter;
  /** Told what the webhooks need to be allowed to do. */
  readonly declare?: (type: ResourceType, verbs: readonly string[], options: PlacedDeclareOptions) => void;
}

export interface Configurations {
  readonly mutating: MutatingWebhookConfiguration;
  readonly validating: ValidatingWebhookConfiguration;
}

/**
 * What an operator is asked about objects before they are stored, and when they are read in another version:
 *
 *     manager.webhooks
 *       .for(Fruit)
 *       .default((fruit) => { fruit.spec.comment ??= 'sweet'; })
 *       .validate({ delete: (fruit) => { if (fruit.spec.weight > 9) throw new Error('too heavy to throw away'); } });
 *
 * A review goes in at `handle` and comes out answered, with a socket in front of it or without.
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

  /** Webhooks about a kind. Conversions that a resource has come with it. */
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
    // Metrics begin at zero, before anybody asks.
    this.#meter(CONVERT_PATH);
    return this;
  }

  /** A webhook about anything, by rules. Its answer goes to the server as it is. */
  admit(kind: Hook['kind'], { name, rules, ...options }: RawHookOptions, handler: AdmissionHandler): this {
    this.add({ kind, name, path: options.path, rules, options, handler });
    return this;
  }

  /** Paths are unique. */
  add(hook: Hook): void {
    if (this.#hooks.has(hook.path) || hook.path === CONVERT_PATH)
      throw new TypeError(`Cannot add a webhook at ${hook.path}: there is one already`);
    this.#hooks.set(hook.path, hook);
    this.#meter(hook.path);
    this.#declareConfigurations();
  }

  get isEmpty(): boolean {
    return this.#hooks.size === 0 && this.#converted.size === 0;
  }

  /** Whether anything answers at a path. */
  answers(path: string): boolean {
    return this.#hooks.has(path) || (path === CONVERT_PATH && this.#converted.size > 0);
  }

  /** Resources whose objects are converted here. */
  get converted(): readonly DefinedResource[] {
    return [...this.#converted.values()];
  }

  /**
   * The review, answered; `undefined` when nothing answers at that path, or it is no review. Refusals and failures of
   * handlers are answers.
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
      if (answered?.failure !== undefined) this.#blame(path, answered.failure);
      return answered?.review;
    } finally {
      meter?.finished(code, this.clock.monotonic() - start);
    }
  }

  /** What the server is to be told: whom to ask about what. */
  configurations(address: WebhookAddress): Configurations {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const metadata = { name: this.name };
    const webhooks = (kind: Hook['kind']) =>
      [...this.#hooks.values()]
        .filter((hook) => hook.kind === kind)
        .map((hook) => describeHook(guarded(hook, address), clientConfigOf(address, hook.path)));
    return {
      mutating: { apiVersion, kind: 'MutatingWebhookConfiguration', metadata, webhooks: webhooks('Mutating') },
      validating: { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata, webhooks: webhooks('Validating') },
    };
  }

  /**
   * The operator writes into its own configurations who to trust, and looks whether one is left of webhooks that are gone.
   * Whoever installs the operator creates them.
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

  #blame(path: string, failure: unknown): void {
    this.log?.error('A webhook failed', { path, ...errorFields(failure) });
  }
}

/** The webhooks about one kind. */
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
   * Asked when an object is created or updated, before it is validated. Objects of other versions are sent as they are and
   * converted here: the server would refuse one that cannot be converted before it says what is missing.
   */
  default(handler: DefaultHandler<T, Input>, options: HookOptions = {}): this {
    const type = this.#type;
    const { conversion } = type as Partial<DefinedResource>;
    const ground = { hasShape: shapeOf(type), apiVersion: type.apiVersion, conversion };
    return this.#add('Mutating', ['CREATE', 'UPDATE'], defaulting(handler, ground), options);
  }

  /** Asked about what would be stored, or deleted; in the operations that have a handler. */
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

/** All versions that this process converts; else the one that the webhook is about. */
function versionsOf(type: ResourceType): string[] {
  if (!isDefined(type) || type.conversion === undefined) return [type.version];
  return type.definition.spec.versions.filter(({ served }) => served).map(({ name }) => name);
}

function isDefined(type: ResourceType): type is DefinedResource {
  return 'definition' in type;
}

/**
 * Built-in kinds are what the operator itself is made of. Unless it is said where to ask, its own namespace is left
 * alone: when it is down, its webhooks must not keep it from coming back.
 */
function guarded(hook: Hook, address: WebhookAddress): Hook {
  const namespace = ownNamespaceOf(address);
  const isBuiltin = hook.rules.some(({ apiGroups = [] }) => apiGroups.some(isBuiltinGroup));
  if (namespace === undefined || !isBuiltin || hook.options.namespaceSelector !== undefined) return hook;
  const elsewhere = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] };
  return { ...hook, options: { ...hook.options, namespaceSelector: { matchExpressions: [elsewhere] } } };
}

function isBuiltinGroup(group: string): boolean {
  return group === '*' || !group.includes('.') || group.endsWith('.k8s.io');
}
