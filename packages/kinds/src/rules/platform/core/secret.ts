import { FieldPath, invalid, required, tooLong } from '@pintle/machinery/errors';
import { isJsonObject, JsonError, parseJson, setOwn } from '@pintle/machinery/json';
import { validateConfigMapKey } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Secret } from '../../../generated/core/v1.ts';
import { type Check, checkUnchanged, collect, problems, sortedEntries } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkImmutable, emptyNulls, maxDataBytes } from './config-map.ts';
import { keyPairWarnings } from './key-pair.ts';

export const secretRules: ResourceRules<Secret> = {
  default: (secret) => {
    emptyNulls(secret.data);
    emptyNulls(secret.stringData);
    foldStringData(secret);
    secret.type ||= 'Opaque';
  },
  validate: (secret) => collect(checkSecret(secret)),
  validateUpdate: (next, previous) => [
    'update',
    ...checkUnchanged(FieldPath.of('type'), next.type, previous.type),
    ...checkImmutable(next, previous, ['data']),
    'create',
    ...checkSecret(next),
  ],
  warnings: (secret) => {
    const { 'tls.crt': certificate = '', 'tls.key': key = '' } = secret.data ?? {};
    return secret.type === 'kubernetes.io/tls' ? keyPairWarnings(decode(certificate), decode(key)) : [];
  },
  selectableFields: (secret) => ({ type: secret.type ?? '' }),
  printer: {
    columns: [nameColumn, column('Type'), column('Data'), ageColumn],
    row: (secret, context) => [
      nameOf(secret),
      secret.type ?? '',
      Object.keys(secret.data ?? {}).length,
      age(secret, context),
    ],
  },
};

/** Merges `stringData`, which is write-only, into `data`. */
function foldStringData(secret: Secret): void {
  if (secret.stringData === undefined) return;
  const data = secret.data ?? {};
  for (const [key, value] of Object.entries(secret.stringData))
    setOwn(data, key, Buffer.from(value).toString('base64'));
  if (Object.keys(data).length > 0) secret.data = data;
  delete secret.stringData;
}

const dataPath = FieldPath.of('data');

function* checkSecret(secret: Secret): Check {
  let bytes = 0;
  for (const [key, value] of sortedEntries(secret.data)) {
    yield* problems(dataPath.key(key), key, validateConfigMapKey(key));
    bytes += Buffer.byteLength(value, 'base64');
  }
  if (bytes > maxDataBytes) yield tooLong(dataPath, maxDataBytes);
  yield* checkType(secret);
}

/** Checks the keys that Kubernetes' types of secrets require. Other types are free. */
function* checkType(secret: Secret): Check {
  const data = secret.data ?? {};
  const missing = (...keys: string[]) => keys.filter((key) => !Object.hasOwn(data, key));
  const requireKeys = (keys: readonly string[]) => keys.map((key) => required(dataPath.key(key)));
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      if (!secret.metadata.annotations?.['kubernetes.io/service-account.name'])
        yield required(FieldPath.of('metadata', 'annotations').key('kubernetes.io/service-account.name'));
      break;
    case 'kubernetes.io/dockercfg':
      yield* checkJson(data, '.dockercfg');
      break;
    case 'kubernetes.io/dockerconfigjson':
      yield* checkJson(data, '.dockerconfigjson');
      break;
    case 'kubernetes.io/basic-auth': {
      const absent = missing('username', 'password');
      if (absent.length === 2) yield* requireKeys(absent);
      break;
    }
    case 'kubernetes.io/ssh-auth':
      if (!data['ssh-privatekey']) yield* requireKeys(['ssh-privatekey']);
      break;
    case 'kubernetes.io/tls':
      yield* requireKeys(missing('tls.crt', 'tls.key'));
      break;
  }
}

function* checkJson(data: Record<string, string>, key: string): Check {
  const path = dataPath.key(key);
  if (!Object.hasOwn(data, key)) {
    yield required(path);
    return;
  }
  const problem = jsonObjectProblem(decode(data[key]!));
  if (problem !== undefined) yield invalid(path, '<secret contents redacted>', problem);
}

/** Returns the message of Go's decoder when it reads into a map. */
function jsonObjectProblem(text: string): string | undefined {
  try {
    const value = parseJson(text);
    if (isJsonObject(value) || value === null) return undefined;
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
