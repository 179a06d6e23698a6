import { EventRecorder, type IndexFunction } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { AppliedMemory } from '../reconcile/applied-memory.ts';
import { Follows } from '../reconcile/follows.ts';
import type { ObjectGround, Reconcile } from '../reconcile/object-reconciler.ts';
import { reconcileObject } from '../reconcile/object-reconciler.ts';
import { BY_OWNER, ownersOf, ownerUidsOf } from '../reconcile/ownership.ts';
import { StatusWriter } from '../reconcile/status-writer.ts';
import type { ControllerGround, ControllerOptions, ReconcileRequest } from './controller.ts';
import { Controller } from './controller.ts';
import type { ExternalSource } from './external-source.ts';
import type { MapToRequests, WatchOptions } from './kind-source.ts';
import type { Predicate } from './predicate.ts';
import type { RequestScope } from './reconcile-scope.ts';

/** Predicates, and how else a kind is watched. */
export type Watching<T extends KubernetesObject> = Predicate<T> | WatchOptions<T>;

/** How a kind of children is watched. */
export type Owning<T extends KubernetesObject> =
  | Predicate<T>
  | (WatchOptions<T> & {
      /** Also children that the object does not control concern it. Default: only its controller is told of a child. */
      readonly isEveryOwner?: boolean;
    });

/** Says what a controller looks at. Complete it with `reconcile` or `reconcileRequests`. */
export class ControllerBuilder<T extends KubernetesObject> {
  readonly #ground: ControllerGround;
  readonly #type: ResourceType<T>;
  readonly #add: (controller: Controller) => void;
  readonly #sources: ((controller: Controller) => void)[] = [];
  readonly #owned: ResourceType[] = [];
  #options: ControllerOptions;
  #main: WatchOptions<T> = {};

  constructor(ground: ControllerGround, type: ResourceType<T>, name: string, add: (controller: Controller) => void) {
    this.#ground = ground;
    this.#type = type;
    this.#add = add;
    this.#options = { name };
  }

  options(options: Partial<ControllerOptions>): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /** Only changes of the main objects that pass all of them count. */
  filter(...predicates: readonly Predicate<T>[]): this {
    this.#main = { ...this.#main, predicates: [...(this.#main.predicates ?? []), ...predicates] };
    return this;
  }

  /** A change of a child concerns the object that controls it, or labelled it. `prune` looks at these kinds. */
  owns<C extends KubernetesObject>(type: ResourceType<C>, ...how: readonly Owning<C>[]): this {
    const isEvery = how.some((each) => typeof each === 'object' && each.isEveryOwner);
    const options = watchOptions<C>(how);
    const indexes = { ...options.indexes, [BY_OWNER]: ownerUidsOf };
    this.#owned.push(type);
    // Where servers look at it, whoever gives a child an owner must be allowed to delete the child, and to set the
    // finalizers of the owner, whose end it holds up.
    this.#ground.declare?.(type, ['create', 'patch', 'delete']);
    this.#ground.declare?.(this.#type, ['update'], 'finalizers');
    this.#sources.push((controller) =>
      controller.watch(type, (child) => ownersOf(child, this.#type, { isEvery }), {
        ...options,
        indexes,
      }),
    );
    return this;
  }

  /** A change of an object concerns those that `map` makes of it, before and after. */
  watches<O extends KubernetesObject>(
    type: ResourceType<O>,
    map: MapToRequests<O>,
    ...how: readonly Watching<O>[]
  ): this {
    this.#sources.push((controller) => controller.watch(type, map, watchOptions<O>(how)));
    return this;
  }

  /** Something outside of the API says which objects to look after. */
  watchesExternal(source: ExternalSource): this {
    this.#sources.push((controller) => controller.watchExternal(source));
    return this;
  }

  /**
   * Objects of the kind can be listed by what `values` gives of them: `list(type, { index: { name, value } })`. The
   * kind is cached for it.
   */
  indexes<O extends KubernetesObject>(type: ResourceType<O>, name: string, values: IndexFunction<O>): this {
    this.#sources.push((controller) => controller.watch(type, () => [], { indexes: { [name]: values } }));
    return this;
  }

  /** An object that is gone needs no looking after: it is not told of. */
  reconcile(reconcile: Reconcile<T>): Controller {
    let ground: ObjectGround<T> | undefined;
    const controller: Controller = this.reconcileRequests((request, scope) => {
      ground ??= this.#objectGround(controller);
      return reconcileObject(ground, reconcile, request, scope as RequestScope);
    });
    return controller;
  }

  /** Requests as they come, also of objects that are gone. */
  reconcileRequests(reconcile: ReconcileRequest): Controller {
    const controller = new Controller(this.#ground, this.#options, reconcile);
    const { isOptional = false } = this.#options;
    controller.watch(this.#type, undefined, { ...this.#main, isOptional });
    for (const source of this.#sources) source(controller);
    this.#add(controller);
    return controller;
  }

  #objectGround(controller: Controller): ObjectGround<T> {
    const ground = this.#ground;
    const { client, informers, clock, random } = ground;
    const { name } = this.#options;
    const memory = new AppliedMemory();
    let recorder: ObjectGround<T>['events'] | undefined;
    return {
      type: this.#type,
      owned: this.#owned,
      declare: (type, verbs) => ground.declare?.(type, verbs),
      informers,
      memory,
      statuses: new StatusWriter(this.#type, name, memory),
      follows: new Follows({
        client,
        informers,
        enqueue: (request, reason) => controller.enqueue(request, { reason }),
      }),
      get events() {
        recorder ??=
          ground.events ??
          new EventRecorder({ client: client.live, component: name, clock, ...(random && { random }) });
        return recorder;
      },
    };
  }
}

function watchOptions<T extends KubernetesObject>(how: readonly Watching<T>[]): WatchOptions<T> {
  const options = how.filter((each) => typeof each === 'object');
  const predicates = how.filter((each) => typeof each === 'function');
  const all = [...options.flatMap((each) => each.predicates ?? []), ...predicates];
  return { ...Object.assign({}, ...options), ...(all.length > 0 && { predicates: all }) };
}
