import type { CachedClient } from '@pintle/client';
import { Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager, NamespacedRequest } from '@pintle/operator';
import { eachLive } from '../common/each-live.ts';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const TOKENS = { fieldSelector: `type=${TYPE}` };

/** Identity of a token that is stored in a Secret. */
interface SecretToken {
  readonly namespace: string;
  readonly secret: string;
  readonly account: { readonly name: string; readonly uid: string };
}

export interface TokenSecretOptions {
  /** Signs a token. Only the API server has the key. */
  readonly signToken: (token: SecretToken) => Promise<string>;
  /** CA certificate of the API server, in PEM. */
  readonly rootCa: string;
}

/** Fills in Secrets for service account tokens, and deletes them with their account. */
export function addTokenSecretController(manager: Manager, options: TokenSecretOptions): Controller {
  const controller = manager
    .controller(ServiceAccount, 'serviceaccount-token')
    .reconcileRequests(async ({ namespace = '', name }, { client }) => {
      const account = await client.find(ServiceAccount, { namespace, name });
      for await (const secret of eachLive(client.live, Secret, { namespace, ...TOKENS })) {
        if (secret.metadata.annotations?.[ACCOUNT_NAME] !== name) continue;
        if (account === undefined || isForOtherAccount(secret, account))
          await removeOrphan(client, secret, { namespace, name });
        else await fill(client, secret, account, options);
      }
    });
  return controller.watch(Secret, accountsOf, { select: TOKENS });
}

function* accountsOf({ metadata }: Secret): Iterable<NamespacedRequest> {
  const { namespace = '', annotations } = metadata;
  const name = annotations?.[ACCOUNT_NAME];
  if (name) yield { namespace, name };
}

function isForOtherAccount({ metadata }: Secret, account: ServiceAccount): boolean {
  const uid = metadata.annotations?.[ACCOUNT_UID];
  return uid !== undefined && uid !== '' && uid !== account.metadata.uid;
}

/** Asks the server, because the cache may not have a new account yet. */
async function removeOrphan(client: CachedClient, secret: Secret, ref: NamespacedRequest): Promise<void> {
  const account = await client.live.find(ServiceAccount, ref);
  if (account === undefined || isForOtherAccount(secret, account)) await client.delete(Secret, secret);
}

async function fill(
  client: CachedClient,
  secret: Secret,
  account: ServiceAccount,
  options: TokenSecretOptions,
): Promise<void> {
  const { namespace = '', name = '', annotations } = secret.metadata;
  const uid = account.metadata.uid ?? '';
  const data = secret.data ?? {};
  const isMarked = annotations?.[ACCOUNT_UID] === uid;
  const fixed = fixedData(data, { rootCa: options.rootCa, namespace });
  if (isMarked && isComplete(data, fixed)) return;
  const sign = () => options.signToken({ namespace, secret: name, account: { name: account.metadata.name!, uid } });
  const token = data.token || encode(await sign());
  const metadata = { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID]: uid } };
  // After a conflict the update of the other writer triggers another sync.
  await client.live
    .update(Secret, { ...secret, metadata, data: { ...data, ...fixed, token } })
    .catch(ignoring(isConflict, isNotFound));
}

/**
 * Returns the content of a token Secret besides its token. Replaces a wrong CA certificate, and an absent namespace.
 */
export function fixedData(
  data: Readonly<Record<string, string>>,
  { rootCa, namespace }: { readonly rootCa: string; readonly namespace: string },
): { readonly 'ca.crt': string; readonly namespace: string } {
  return { 'ca.crt': encode(rootCa), namespace: data.namespace || encode(namespace) };
}

/** True when nothing is missing or wrong. */
export function isComplete(data: Readonly<Record<string, string>>, fixed: ReturnType<typeof fixedData>): boolean {
  return !!data.token && data['ca.crt'] === fixed['ca.crt'] && data.namespace === fixed.namespace;
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
