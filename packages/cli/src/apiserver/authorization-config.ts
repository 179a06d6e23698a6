import { readFile } from 'node:fs/promises';
import type { AuthorizationMode } from '@pintle/kube-apiserver';
import { AUTHORIZATION_MODES } from '@pintle/kube-apiserver';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { UsageError } from '../usage-error.ts';

const VERSION = /^apiserver\.config\.k8s\.io\/v1(alpha1|beta1)?$/;

/** Reads the authorizers of an AuthorizationConfiguration, in order. Throws UsageError for one that this server lacks. */
export async function readAuthorizationConfig(path: string): Promise<readonly AuthorizationMode[]> {
  try {
    const { parseYamlStrict } = await import('@pintle/machinery/yaml');
    return modesIn(parseYamlStrict(await readFile(path)).value);
  } catch (error) {
    throw new UsageError(`Cannot use --authorization-config=${path}: ${(error as Error).message}`);
  }
}

function modesIn(config: JsonValue): AuthorizationMode[] {
  if (
    !isJsonObject(config) ||
    config.kind !== 'AuthorizationConfiguration' ||
    !VERSION.test(String(config.apiVersion))
  ) {
    throw new Error('it is not an AuthorizationConfiguration of apiserver.config.k8s.io');
  }
  const { kind: _kind, apiVersion: _version, authorizers, ...others } = config;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`it has the unknown field ${other}`);
  if (!Array.isArray(authorizers) || authorizers.length === 0) throw new Error('it has no authorizers');
  return authorizers.map(modeOf);
}

function modeOf(authorizer: JsonValue): AuthorizationMode {
  const { type, name: _name, ...others } = isJsonObject(authorizer) ? authorizer : {};
  const mode = AUTHORIZATION_MODES.find((known) => known === type);
  if (mode === undefined) throw new Error(`${String(type)} is not one of ${AUTHORIZATION_MODES.join(', ')}`);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`an authorizer of type ${mode} has no field ${other}`);
  return mode;
}
