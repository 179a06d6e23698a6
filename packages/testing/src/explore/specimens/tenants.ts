import { ownerReference } from '@pintle/client';
import { ConfigMap, Namespace, Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import { defineResource } from '@pintle/operator';
import { z } from 'zod';
import type { ExploreOptions, ScenarioContext } from '../model/options.ts';
import type { Specimen } from './cluster.ts';

const Tenant = defineResource({
  group: 'specimens.pintle.dev',
  version: 'v1',
  kind: 'Tenant',
  scope: 'Cluster',
  spec: z.object({
    tier: z.enum(['free', 'paid']).optional(),
    audit: z.boolean().optional(),
    members: z.array(z.string()).optional(),
  }),
  status: z.object({ phase: z.string().optional(), members: z.array(z.string()).optional() }),
});

type Scenario = (context: ScenarioContext) => Promise<void>;

function tenants(
  name: string,
  family: Specimen['family'],
  scenario: Scenario,
  add: (isMended: boolean) => NonNullable<ExploreOptions['operator']>,
  more: Partial<ExploreOptions> = {},
): Specimen {
  const common = { crds: [Tenant], scenario, ...more };
  return {
    name,
    family,
    broken: { ...common, operator: add(false) },
    mended: { ...common, operator: add(true) },
  };
}

/** I2: takes an existing namespace as a tenant that is set up. */
const namespaceMeansDone = tenants(
  'a namespace that is there means that all is',
  'I2',
  async ({ client, settle }) => {
    await client.create(Tenant, { metadata: { name: 'acme' }, spec: { tier: 'free' } });
    await settle();
  },
  (isMended) => (manager) => {
    manager.controller(Tenant).reconcile(async (tenant, { live }) => {
      const { name } = tenant.metadata;
      const space = await live.find(Namespace, { name });
      if (space !== undefined && !isMended) return;
      if (space === undefined)
        await live.create(Namespace, { metadata: { name, ownerReferences: [ownerReference(Tenant, tenant)] } });
      await live
        .create(ServiceAccount, { metadata: { namespace: name, name: 'deployer' } })
        .catch(ignoring(isAlreadyExists));
      await live
        .create(ConfigMap, { metadata: { namespace: name, name: 'limits' }, data: { tier: `${tenant.spec.tier}` } })
        .catch(ignoring(isAlreadyExists));
    });
  },
);

/** I1: writes the tier to the namespace first, and decides by it whether to write the limits. */
const labelHidesLimits = tenants(
  'the label of a namespace hides that its limits are old',
  'I1',
  async ({ client, settle }) => {
    await client.create(Tenant, { metadata: { name: 'acme' }, spec: { tier: 'free' } });
    await settle();
    await client.patch(Tenant, { name: 'acme' }, { type: 'merge', body: { spec: { tier: 'paid' } } });
    await settle();
  },
  (isMended) => (manager) => {
    manager
      .controller(Tenant)
      .owns(Namespace)
      .reconcile(async (tenant, ctx) => {
        const { name } = tenant.metadata;
        const { tier = 'free' } = tenant.spec;
        const limits = { namespace: name, name: 'limits' };
        const mark = async () => await ctx.apply(Namespace, { metadata: { name, labels: { tier } } });
        const limit = async () => {
          const found = await ctx.live.find(ConfigMap, limits);
          if (found === undefined) await ctx.live.create(ConfigMap, { metadata: limits, data: { tier } });
          else if (found.data?.tier !== tier) await ctx.live.update(ConfigMap, { ...found, data: { tier } });
        };
        const space = await ctx.find(Namespace, name);
        if (space === undefined) await ctx.apply(Namespace, { metadata: { name, labels: { tier: 'none' } } });
        if (space?.metadata.labels?.tier === tier) return;
        if (isMended) {
          await limit();
          await mark();
        } else {
          await mark();
          await limit();
        }
      });
  },
);

/** S3: deletes the audit settings when an old spec does not want them. */
const auditOffByOldSpec = tenants(
  'switches a feature off by an old spec',
  'S3',
  async ({ client, settle }) => {
    await client.create(Tenant, { metadata: { name: 'acme' }, spec: { audit: true } });
    await settle();
    for (const audit of [false, true]) {
      await client.patch(Tenant, { name: 'acme' }, { type: 'merge', body: { spec: { audit } } });
      await settle();
    }
  },
  (isMended) => (manager) => {
    manager
      .controller(Tenant)
      .watches(Secret, () => [{ name: 'acme' }])
      .reconcile(async (tenant, { client, live }) => {
        const key = { namespace: 'default', name: 'acme-audit-key' };
        const found = await client.find(Secret, key);
        if (tenant.spec.audit) {
          if (found === undefined)
            await live
              .create(Secret, { metadata: { ...key, ownerReferences: [ownerReference(Tenant, tenant)] } })
              .catch(ignoring(isAlreadyExists));
        } else if (isMended) {
          const { uid = '' } = found?.metadata ?? {};
          if (found !== undefined)
            await live.delete(Secret, key, { preconditions: { uid } }).catch(ignoring(isNotFound));
        } else {
          const secrets = await live.list(Secret, { namespace: 'default' });
          for (const { metadata } of secrets.items)
            if (metadata.name === key.name) await live.delete(Secret, key).catch(ignoring(isNotFound));
        }
      });
  },
);

/** A: an unwanted member stays, unless the operator saw both specs. */
const memberStays = tenants(
  'members that are no longer wanted stay',
  'A',
  async ({ client, settle }) => {
    await client.create(Tenant, { metadata: { name: 'acme' }, spec: { members: ['ann', 'bob'] } });
    await settle();
    await client.patch(Tenant, { name: 'acme' }, { type: 'merge', body: { spec: { members: ['ann'] } } });
    await settle();
    await client.patch(Tenant, { name: 'acme' }, { type: 'merge', body: { spec: { members: ['ann', 'eve'] } } });
    await settle();
  },
  (isMended) => (manager) => {
    manager
      .controller(Tenant)
      .watches(ServiceAccount, () => [{ name: 'acme' }])
      .reconcile(async (tenant, ctx) => {
        const { members = [] } = tenant.spec;
        const place = (name: string) => ({ namespace: 'default', name: `acme-${name}` });
        for (const member of members)
          await ctx.live
            .create(ServiceAccount, { metadata: { ...place(member), labels: { tenant: 'acme' } } })
            .catch(ignoring(isAlreadyExists));
        if (isMended) {
          for (const found of await ctx.list(ServiceAccount, { namespace: 'default' }))
            if (found.metadata.labels?.tenant === 'acme' && !members.includes(found.metadata.name.replace('acme-', '')))
              await ctx.client.delete(ServiceAccount, found);
          ctx.status({ members });
          return;
        }
        const known = tenant.status?.members ?? [];
        const body = { status: { members } };
        // Writes the status first, so that a member that cannot be deleted does not delay the others.
        await ctx.live.patch(Tenant, { name: 'acme' }, { type: 'merge', body }, { subresource: 'status' });
        for (const member of known)
          if (!members.includes(member))
            await ctx.live.delete(ServiceAccount, place(member)).catch(ignoring(isNotFound));
      });
  },
);

/** U1: knows removed members of a tenant by the deletions that it saw. */
const needsTheDeletion = tenants(
  'cleans up after a tenant when it sees the deletion',
  'U1',
  async ({ client, settle }) => {
    await client.create(Tenant, { metadata: { name: 'acme' }, spec: {} });
    await settle();
    await client.delete(Tenant, { name: 'acme' });
    await settle();
  },
  (isMended) => (manager) => {
    const place = { namespace: 'default', name: 'acme-registration' };
    const FINALIZER = 'specimens.pintle.dev/registration';
    if (isMended)
      manager.controller(Tenant).reconcile(async (_tenant, ctx) => {
        const clean = async () => void (await ctx.live.delete(ConfigMap, place).catch(ignoring(isNotFound)));
        if (await ctx.finalize(FINALIZER, clean)) return;
        await ctx.live.create(ConfigMap, { metadata: place }).catch(ignoring(isAlreadyExists));
      });
    else
      manager.controller(Tenant).reconcileRequests(async (request, { client, live, reasons }) => {
        const tenant = await client.find(Tenant, request);
        if (tenant !== undefined) await live.create(ConfigMap, { metadata: place }).catch(ignoring(isAlreadyExists));
        else if (reasons.some(({ cause }) => cause === 'deleted'))
          await live.delete(ConfigMap, place).catch(ignoring(isNotFound));
      });
  },
);

export const tenantSpecimens: readonly Specimen[] = [
  namespaceMeansDone,
  labelHidesLimits,
  auditOffByOldSpec,
  memberStays,
  needsTheDeletion,
];
