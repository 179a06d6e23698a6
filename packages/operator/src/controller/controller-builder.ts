import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type {
  ControllerGround,
  ControllerOptions,
  MapToRequests,
  ReconcileRequest,
  ReconcileScope,
} from './controller.ts';
import { Controller } from './controller.ts';
import type { Predicate } from './predicate.ts';
import type { Request } from './request.ts';
import type { Result } from './result.ts';

/** Looks after one object, as it was last heard of. It is shared: look, never write. */
export type Reconcile<T extends KubernetesObject> = (
  object: T,
  scope: ReconcileScope,
) => Promise<Result | undefined | void>;

/** Says what a controller looks at. Complete it with `reconcile` or `reconcileRequests`. */
export class ControllerBuilder<T extends KubernetesObject> {
  readonly #ground: ControllerGround;
  readonly #type: ResourceType<T>;
  readonly #add: (controller: Controller) => void;
  readonly #sources: ((controller: Controller) => void)[] = [];
  #options: ControllerOptions;
  #predicates: Predicate<T>[] = [];

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
    this.#predicates.push(...predicates);
    return this;
  }

  /** A change of a child concerns the object that controls it. */
  owns<C extends KubernetesObject>(type: ResourceType<C>, ...predicates: readonly Predicate<C>[]): this {
    return this.watches(type, (child) => ownersOf(child, this.#type), ...predicates);
  }

  watches<O extends KubernetesObject>(
    type: ResourceType<O>,
    map: MapToRequests<O>,
    ...predicates: readonly Predicate<O>[]
  ): this {
    this.#sources.push((controller) => void controller.watch(type, map, { predicates }));
    return this;
  }

  /** An object that is gone needs no looking after: it is not told of. */
  reconcile(reconcile: Reconcile<T>): Controller {
    return this.reconcileRequests(async (request, scope) => {
      const object = await scope.client.find(this.#type, request);
      return object === undefined ? undefined : await reconcile(object, scope);
    });
  }

  reconcileRequests(reconcile: ReconcileRequest): Controller {
    const controller = new Controller(this.#ground, this.#options, reconcile);
    controller.watch(this.#type, undefined, { predicates: this.#predicates });
    for (const source of this.#sources) source(controller);
    this.#add(controller);
    return controller;
  }
}

/** The object of the kind that controls this one. Versions of a kind are the same kind. */
function* ownersOf(child: KubernetesObject, type: ResourceType): Iterable<Request> {
  for (const { apiVersion, kind, name, controller } of child.metadata.ownerReferences ?? []) {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    if (!controller || kind !== type.kind || group !== type.group) continue;
    const namespace = type.scope === 'Namespaced' ? child.metadata.namespace : undefined;
    yield { ...(namespace && { namespace }), name };
  }
}
