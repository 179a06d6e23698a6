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

/** So often the server is asked again at once, and then every ten seconds. */
const REDISCOVER_BURST = 3;
const REDISCOVER_PER_SECOND = 0.1;

/**
 * Finds the resource that a word stands for. What the server offers is asked once and remembered; an unknown word makes
 * it ask again, but not too often, so a definition that was just made is found.
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

  /** By kind: `{ apiVersion: 'apps/v1', kind: 'Deployment' }`, or by group where any version will do. */
  async kind(
    wanted: { readonly kind: string } & ({ readonly apiVersion: string } | { readonly group: string }),
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<ResourceType> {
    const place = 'apiVersion' in wanted ? wanted.apiVersion : wanted.group;
    const isWanted = ({ type }: DiscoveredResource) =>
      type.kind === wanted.kind && ('apiVersion' in wanted ? type.apiVersion : type.group) === place;
    return await this.#find(`${wanted.kind} of ${JSON.stringify(place)}`, isWanted, options);
  }

  /** As kubectl takes it: `deploy`, `deployment`, `deployments.apps`, `deployments.v1.apps`, `Deployment`. */
  async resource(word: string, options?: Pick<CallOptions, 'signal'>): Promise<ResourceType> {
    const [name = '', ...rest] = word.toLowerCase().split('.');
    const place = rest.join('.');
    const isPlace = ({ type }: DiscoveredResource) =>
      place === '' || place === type.group || place === type.version || place === `${type.version}.${type.group}`;
    const isNamed = ({ type }: DiscoveredResource) =>
      [type.plural, type.singular, type.kind.toLowerCase()].includes(name) || type.shortNames.includes(name);
    const isExact = (resource: DiscoveredResource) => resource.type.plural === name && isPlace(resource);
    return await this.#find(
      JSON.stringify(word),
      (resource) => isNamed(resource) && isPlace(resource),
      options,
      isExact,
    );
  }

  /** Everything the server offers, as remembered. */
  async resources(options?: Pick<CallOptions, 'signal'>): Promise<readonly DiscoveredResource[]> {
    this.#discovery ??= this.#ask();
    return (await abortable(this.#discovery, options?.signal)).resources;
  }

  /** Forgets what the server offers; the next question asks it. */
  invalidate(): void {
    this.#discovery = undefined;
  }

  async #find(
    what: string,
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
    if (found === undefined) throw new ClientError({ code: 'UnknownKind', what });
    return found.type;
  }

  /** Many may wait for it, so nobody's signal ends it. */
  #ask(): Promise<Discovery> {
    const asked = discover(this.#client);
    asked.catch(() => {
      if (this.#discovery === asked) this.#discovery = undefined;
    });
    return asked;
  }
}

/** The server tells groups in the order of their importance; within one, its preferred version goes first. */
function best(resources: readonly DiscoveredResource[]): DiscoveredResource | undefined {
  const group = resources[0]?.type.group;
  return resources.find(({ type, isPreferred }) => isPreferred && type.group === group) ?? resources[0];
}
