import type { CachedClient } from '@pintle/client';
import { Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Change, Manager, NamespacedRequest } from '@pintle/operator';
import { Controller } from '@pintle/operator';
import { ACCOUNTS, knownAccounts } from '../service-accounts/known-accounts.ts';
import {
  ACCOUNT_NAME,
  ACCOUNT_UID,
  knownTokenSecrets,
  TOKEN_SECRETS,
  TOKEN_SECRETS_BY_ACCOUNT,
  TOKEN_TYPE,
} from './known-token-secrets.ts';

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
  const controller = new Controller(
    manager,
    { name: 'serviceaccount-token' },
    async ({ namespace = '', name }, { client }) => {
      const known = knownTokenSecrets(manager).get({ namespace, name });
      const accountName = known?.metadata.annotations?.[ACCOUNT_NAME];
      if (known === undefined || !accountName) return;
      const account = knownAccounts(manager).get({ namespace, name: accountName });
      if (account === undefined || isForOtherAccount(known, account))
        return await removeOrphan(client, known, { namespace, name: accountName });
      const secret = await client.live.find(Secret, { namespace, name });
      if (isTokenOf(secret, account)) await fill(client, secret, account, options);
    },
  );
  controller.watch(Secret, undefined, { select: TOKEN_SECRETS, indexes: [TOKEN_SECRETS_BY_ACCOUNT] });
  controller.watch(ServiceAccount, (account) => secretsOf(manager, account), {
    select: ACCOUNTS,
    predicates: [isOtherAccount],
  });
  manager.add(controller);
  return controller;
}

function secretsOf(manager: Manager, { metadata: { namespace, name } }: ServiceAccount): NamespacedRequest[] {
  const index = TOKEN_SECRETS_BY_ACCOUNT.is(`${namespace}/${name}`);
  return knownTokenSecrets(manager)
    .list({ index })
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }));
}

/** False for a change of the content of an account, on which no token depends. */
function isOtherAccount(change: Change<ServiceAccount>): boolean {
  return change.type !== 'updated' || change.object.metadata.uid !== change.previous.metadata.uid;
}

/** True unless the Secret is gone, or its owner changed it meanwhile. */
function isTokenOf(secret: Secret | undefined, account: ServiceAccount): secret is Secret {
  return (
    secret?.type === TOKEN_TYPE &&
    secret.metadata.annotations?.[ACCOUNT_NAME] === account.metadata.name &&
    !isForOtherAccount(secret, account)
  );
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
