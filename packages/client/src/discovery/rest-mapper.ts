import { abortable, TokenBucket } from '@pintle/async';
import type { ResourceType } from '@pintle/machinery';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { CallOptions } from '../rest/options.ts';
import type { DiscoveredResource, Discovery } from './discover.ts';
import { discover } from './discover.ts';

export interface RestMapperOptions {
  readonly client: Client;
}

/** Repeated discovery for unknown names: three at once, then one every ten seconds. */
const REDISCOVER_BURST = 3;
const REDISCOVER_PER_SECOND = 0.1;

/**
 * Finds resources by kind or name. Discovers once and remembers the result; an unknown name repeats discovery, at a limited
 * rate, so that a new definition is found.
 */
export class RestMapper {
  readonly #client: Client;
  readonly #limit: TokenBucket;
  #discovery: Promise<Discovery> | undefined;

  constructor({ client }: RestMapperOptions) {
    this.#client = client;
    this.#limit = new TokenBucket({
      burst: REDISCOVER_BURST,
      ratePerSecond: REDISCOVER_PER_SECOND,
      clock: client.clock,
    });
  }

  /** Finds a resource by `{ apiVersion: 'apps/v1', kind: 'Deployment' }`, or by group and kind in the preferred version. */
  async kind(
    wanted: { readonly kind: string } & ({ readonly apiVersion: string } | { readonly group: string }),
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<ResourceType> {
    const groupOrVersion = 'apiVersion' in wanted ? wanted.apiVersion : wanted.group;
    const isWanted = ({ type }: DiscoveredResource) =>
      type.kind === wanted.kind && ('apiVersion' in wanted ? type.apiVersion : type.group) === groupOrVersion;
    return await this.#find(`${wanted.kind} of ${JSON.stringify(groupOrVersion)}`, isWanted, options);
  }

  /** Finds a resource by any name that kubectl takes: `deploy`, `deployments.apps`, `deployments.v1.apps`, `Deployment`. */
  async resource(name: string, options?: Pick<CallOptions, 'signal'>): Promise<ResourceType> {
    const [firstPart = '', ...rest] = name.toLowerCase().split('.');
    const groupOrVersion = rest.join('.');
    const isInGroup = ({ type }: DiscoveredResource) =>
      groupOrVersion === '' ||
      groupOrVersion === type.group ||
      groupOrVersion === type.version ||
      groupOrVersion === `${type.version}.${type.group}`;
    const isNamed = ({ type }: DiscoveredResource) =>
      [type.plural, type.singular, type.kind.toLowerCase()].includes(firstPart) || type.shortNames.includes(firstPart);
    const isExact = (resource: DiscoveredResource) => resource.type.plural === firstPart && isInGroup(resource);
    return await this.#find(
      JSON.stringify(name),
      (resource) => isNamed(resource) && isInGroup(resource),
      options,
      isExact,
    );
  }

  /** Returns all resources of the server, as remembered. */
  async resources(options?: Pick<CallOptions, 'signal'>): Promise<readonly DiscoveredResource[]> {
    this.#discovery ??= this.#discover();
    return (await abortable(this.#discovery, options?.signal)).resources;
  }

  /** Forgets the resources; the next call discovers them again. */
  invalidate(): void {
    this.#discovery = undefined;
  }

  async #find(
    description: string,
    isWanted: (resource: DiscoveredResource) => boolean,
    options: Pick<CallOptions, 'signal'> | undefined,
    isBest: (resource: DiscoveredResource) => boolean = isWanted,
  ): Promise<ResourceType> {
    const isFresh = this.#discovery === undefined;
    const find = async () => {
      const resources = await this.resources(options);
      return best(resources.filter(isBest)) ?? best(resources.filter(isWanted));
    };
    let found = await find();
    if (found === undefined && !isFresh && this.#limit.tryTake()) {
      this.invalidate();
      found = await find();
    }
    if (found === undefined) throw new ClientError({ code: 'UnknownKind', what: description });
    return found.type;
  }

  /** Takes no signal: several callers may wait for the result. */
  #discover(): Promise<Discovery> {
    const discovered = discover(this.#client);
    discovered.catch(() => {
      if (this.#discovery === discovered) this.#discovery = undefined;
    });
    return discovered;
  }
}

/** Picks the first group, which is the server's order of priority, and its preferred version. */
function best(resources: readonly DiscoveredResource[]): DiscoveredResource | undefined {
  const group = resources[0]?.type.group;
  return resources.find(({ type, isPreferred }) => isPreferred && type.group === group) ?? resources[0];
}
