import type { JsonValue } from '@pintle/machinery/json';
import { getOwn, isJsonObject } from '@pintle/machinery/json';
import type { PatchError } from '@pintle/machinery/patch';
import { applyJsonPatch, readJsonPatch } from '@pintle/machinery/patch';

/** Returns the reason why a patch does not apply to a document, in the words of Kubernetes. */
export function describeRefusal(
  document: JsonValue,
  patch: readonly JsonValue[],
  { failure, message }: PatchError,
): string {
  if (failure.code !== 'NotApplicable' && failure.code !== 'TestFailed') return message;
  const before = applyJsonPatch(document, readJsonPatch(patch.slice(0, failure.operation)));
  return describeOperation(before, patch[failure.operation]!) ?? message;
}

function describeOperation(document: JsonValue, operation: JsonValue): string | undefined {
  const op = textOf(operation, 'op') ?? 'unknown';
  const path = textOf(operation, 'path');
  const from = textOf(operation, 'from');
  switch (op) {
    case 'add':
    case 'remove':
    case 'replace':
      return describeChange(document, op, path);
    case 'test':
      return describeTest(document, path);
    case 'move':
    case 'copy':
      return describeTransfer(document, op, path, from);
    default:
      return `Unexpected kind: ${op}`;
  }
}

function textOf(operation: JsonValue, name: string): string | undefined {
  const value = isJsonObject(operation) ? getOwn(operation, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function describeChange(document: JsonValue, op: 'add' | 'remove' | 'replace', path: string | undefined) {
  if (path === undefined) return `${op} operation failed to decode path: missing value`;
  if (op === 'replace' && path === '') return 'replace operation value must be object or array';
  const target = targetAt(document, path);
  if (target === undefined) {
    const quoted = op === 'replace' ? path : JSON.stringify(path);
    return `${op} operation does not apply: doc is missing path: ${quoted}: missing value`;
  }
  const problem = problemAt(target, op);
  if (op === 'replace') return `replace operation does not apply: doc is missing key: ${path}: missing value`;
  return problem && `error in ${op} for path: '${path}': ${problem}`;
}

function describeTest(document: JsonValue, path: string | undefined): string {
  if (path === undefined) return 'test operation failed to decode path: missing value';
  const target = path === '' ? undefined : targetAt(document, path);
  if (path !== '' && target === undefined)
    return `test operation does not apply: is missing path: ${path}: missing value`;
  const problem = target && Array.isArray(target.container) ? problemAt(target, 'remove') : undefined;
  return problem === undefined
    ? `testing value ${path} failed: test failed`
    : `error in test for path: '${path}': ${problem}`;
}

function describeTransfer(document: JsonValue, op: 'move' | 'copy', path = '', from?: string): string | undefined {
  if (from === undefined) return `${op} operation failed to decode from: operation, missing from field: missing value`;
  const source = targetAt(document, from);
  if (source === undefined) return `${op} operation does not apply: doc is missing from path: ${from}: missing value`;
  const lost = problemAt(source, 'remove');
  if (lost !== undefined) {
    return op === 'move'
      ? `error in move for path: '${source.key}': ${lost}`
      : `error in copy for from: '${from}': ${lost}`;
  }
  const target = targetAt(document, path);
  if (target === undefined) {
    return `${op} operation does not apply: doc is missing destination path: ${path}: missing value`;
  }
  const problem = problemAt(target, 'add');
  if (problem === undefined) return undefined;
  return op === 'move'
    ? `error in move for path: '${path}': ${problem}`
    : `error while adding value during copy: ${problem}`;
}

interface PatchTarget {
  readonly container: JsonValue;
  readonly key: string;
}

/** Returns the container of the value at a pointer; `undefined` when it does not exist. */
function targetAt(document: JsonValue, path: string): PatchTarget | undefined {
  const keys = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = keys.pop();
  if (key === undefined) return undefined;
  let container: JsonValue | undefined = document;
  for (const step of keys) {
    container = Array.isArray(container)
      ? container.at(Number(step))
      : isJsonObject(container!)
        ? getOwn(container, step)
        : undefined;
    if (container === undefined) return undefined;
  }
  return typeof container === 'object' && container !== null ? { container, key } : undefined;
}

function problemAt({ container, key }: PatchTarget, op: 'add' | 'remove' | 'replace'): string | undefined {
  if (Array.isArray(container)) return problemOfIndex(container.length, key, op);
  if (op !== 'remove' || (isJsonObject(container) && Object.hasOwn(container, key))) return undefined;
  return `Unable to remove nonexistent key: ${key}: missing value`;
}

function problemOfIndex(length: number, key: string, op: string): string | undefined {
  if (op === 'add' && key === '-') return undefined;
  if (!/^[+-]?\d+$/.test(key)) {
    const parse = `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
    return op === 'add' ? `value was not a proper array index: '${key}': ${parse}` : parse;
  }
  const index = Number(key);
  const end = op === 'add' ? length + 1 : length;
  if (index < end && index >= -end) return undefined;
  return `Unable to access invalid index: ${index}: invalid index referenced`;
}
