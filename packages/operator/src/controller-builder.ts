import { EventRecorder, type ObjectIndex } from '@pintle/client';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import type { MapToRequests } from './controller/change-mapper.ts';
import {
  Controller,
  type ControllerDependencies,
  type ControllerOptions,
  type ReconcileRequest,
} from './controller/controller.ts';
import type { ExternalSource } from './controller/external-source.ts';
import type { WatchOptions } from './controller/kind-source.ts';
import type { Predicate } from './controller/predicate.ts';
import type { RequestScope } from './controller/reconcile-scope.ts';
import { ApplyCache } from './reconcile/apply-cache.ts';
import { FollowedObjects } from './reconcile/followed-objects.ts';
import { type ObjectDependencies, type Reconcile, reconcileObject } from './reconcile/object-reconciler.ts';
import { BY_OWNER, ownersOf } from './reconcile/ownership.ts';
import { StatusWriter } from './reconcile/status-writer.ts';

/** Argument of `watches`: a predicate, or options. */
export type WatchesArgument<T extends KubernetesObject, S extends Scope = Scope> = Predicate<T, S> | WatchOptions<T, S>;

/** Argument of `owns`: a predicate, or options. */
export type OwnsArgument<T extends KubernetesObject, S extends Scope = Scope> =
  | Predicate<T, S>
  | (WatchOptions<T, S> & {
      /** True enqueues every owner of a child, as `MatchEveryOwner` of controller-runtime. Default: only its controller. */
      readonly matchEveryOwner?: boolean;
    });

/** Configures a controller. Complete it with `reconcile` or `reconcileRequests`. */
export class ControllerBuilder<T extends KubernetesObject, S extends Scope = Scope> {
  readonly #dependencies: ControllerDependencies;
  readonly #type: ResourceType<T, S>;
  readonly #add: (controller: Controller) => void;
  readonly #sources: ((controller: Controller) => void)[] = [];
  readonly #owned: ResourceType[] = [];
  #options: ControllerOptions;
  #main: WatchOptions<T, S> = {};

  constructor(
    dependencies: ControllerDependencies,
    type: ResourceType<T, S>,
    name: string,
    add: (controller: Controller) => void,
  ) {
    this.#dependencies = dependencies;
    this.#type = type;
    this.#add = add;
    this.#options = { name };
  }

  options(options: Partial<ControllerOptions>): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /** Ignores changes of the main objects that fail one of the predicates. */
  filter(...predicates: readonly Predicate<T, S>[]): this {
    this.#main = { ...this.#main, predicates: [...(this.#main.predicates ?? []), ...predicates] };
    return this;
  }

  /** Enqueues the owner when a child of the kind changes: its controller, or the owner in its label. `prune` covers these kinds. */
  owns<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ...args: readonly OwnsArgument<C, CS>[]
  ): this {
    const isEveryOwner = args.some((each) => typeof each === 'object' && each.matchEveryOwner);
    const options = watchOptions<C, CS>(args);
    const indexes = [...(options.indexes ?? []), BY_OWNER];
    this.#owned.push(type);
    this.#dependencies.shards?.kinds.note(type, isEveryOwner ? 'watched' : 'owned');
    // With OwnerReferencesPermissionEnforcement, setting an owner reference requires the rights to delete the child and to
    // update the finalizers of the owner, whose deletion it blocks.
    this.#dependencies.declare?.(type, ['create', 'patch', 'delete']);
    this.#dependencies.declare?.(this.#type, ['update'], 'finalizers');
    this.#sources.push((controller) =>
      controller.watch(type, (child) => ownersOf(child, this.#type, { isEvery: isEveryOwner }), {
        ...options,
        indexes,
      }),
    );
    return this;
  }

  /**
   * Enqueues what `map` returns for a changed object, before and after the change. `map` may be asynchronous:
   *
   *     .watches(Secret, async (secret, { client }) =>
   *       (await client.list(Fruit, { index: bySecret.is(secret.metadata.name) })).map(requestOf))
   */
  watches<O extends KubernetesObject, OS extends Scope = Scope>(
    type: ResourceType<O, OS>,
    map: MapToRequests<O, OS, S>,
    ...args: readonly WatchesArgument<O, OS>[]
  ): this {
    this.#dependencies.shards?.kinds.note(type, 'watched');
    this.#sources.push((controller) => controller.watch(type, map, watchOptions<O, OS>(args)));
    return this;
  }

  /** Enqueues requests from a source outside of the API. */
  watchesExternal(source: ExternalSource): this {
    this.#sources.push((controller) => controller.watchExternal(source));
    return this;
  }

  /**
   * Adds indexes, by which objects of the kind can be listed. Caches the kind.
   *
   *     const byColour = defineIndex(Fruit, ({ spec }) => (spec.colour ? [spec.colour] : []));
   *     manager.controller(Basket).indexes(Fruit, byColour).reconcile(async (basket, ctx) => {
   *       const red = await ctx.list(Fruit, { index: byColour.is('red') });
   *     });
   */
  indexes<O extends KubernetesObject>(type: ResourceType<O>, ...indexes: readonly ObjectIndex<NoInfer<O>>[]): this {
    this.#dependencies.shards?.kinds.note(type, 'watched');
    this.#sources.push((controller) => controller.watch(type, () => [], { indexes }));
    return this;
  }

  /** Reconciles objects. Is not called for objects that are gone. */
  reconcile(reconcile: Reconcile<T, S>): Controller {
    let dependencies: ObjectDependencies<T> | undefined;
    const controller: Controller = this.reconcileRequests((request, scope) => {
      dependencies ??= this.#objectDependencies(controller);
      return reconcileObject(dependencies, reconcile as Reconcile<T>, request, scope as unknown as RequestScope);
    });
    return controller;
  }

  /** Reconciles requests, also those of objects that are gone. */
  reconcileRequests(reconcile: ReconcileRequest<S>): Controller {
    const controller = new Controller(this.#dependencies, this.#options, reconcile as unknown as ReconcileRequest);
    const { isOptional = false } = this.#options;
    this.#dependencies.shards?.kinds.note(this.#type, 'main');
    controller.watch(this.#type, undefined, { ...this.#main, isOptional });
    for (const source of this.#sources) source(controller);
    this.#add(controller);
    return controller;
  }

  #objectDependencies(controller: Controller): ObjectDependencies<T> {
    const dependencies = this.#dependencies;
    const { client, informers, clock, random } = dependencies;
    const { name } = this.#options;
    const applyCache = new ApplyCache();
    let recorder: ObjectDependencies<T>['events'] | undefined;
    return {
      type: this.#type,
      owned: this.#owned,
      declare: (type, verbs) => dependencies.declare?.(type, verbs),
      informers,
      applyCache,
      statuses: new StatusWriter(this.#type, name, applyCache),
      follows: new FollowedObjects({
        client,
        informers,
        enqueue: (request, reason) => controller.enqueue(request, { reason }),
      }),
      get events() {
        recorder ??=
          dependencies.events ??
          new EventRecorder({ client: client.live, component: name, clock, ...(random && { random }) });
        return recorder;
      },
    };
  }
}

function watchOptions<T extends KubernetesObject, S extends Scope>(
  args: readonly WatchesArgument<T, S>[],
): WatchOptions<T, S> {
  const options = args.filter((each) => typeof each === 'object');
  const predicates = args.filter((each) => typeof each === 'function');
  const all = [...options.flatMap((each) => each.predicates ?? []), ...predicates];
  return { ...Object.assign({}, ...options), ...(all.length > 0 && { predicates: all }) };
}
