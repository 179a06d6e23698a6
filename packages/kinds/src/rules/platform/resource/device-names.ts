import { duplicate, type FieldPath, invalid, required, tooLong, tooMany } from '@pintle/machinery/errors';
import { byteLength, validateCIdentifier, validateDns1123Subdomain } from '@pintle/machinery/names';
import { type Check, problems } from '../../common/checks.ts';
import { checkCsiDriverName } from '../core/volume-sources.ts';

const poolNameMaxBytes = 253;
const identifierMaxBytes = 32;

/** Checks DNS subdomains between slashes. */
export function* checkPoolName(name: string, path: FieldPath): Check {
  if (name === '') {
    yield required(path);
    return;
  }
  if (byteLength(name) > poolNameMaxBytes) yield tooLong(path, poolNameMaxBytes);
  for (const part of name.split('/')) yield* problems(path, part, validateDns1123Subdomain(part));
}

/** Checks `memory` or `gpu.example.com/memory`. Accepts a name of more parts, as Kubernetes does. */
export function* checkQualifiedName(name: string, path: FieldPath): Check {
  const [first = '', second, ...more] = name.split('/');
  if (second === undefined) {
    yield* checkIdentifier(first, path);
  } else if (more.length === 0) {
    if (first === '') yield invalid(path, '', 'the domain must not be empty');
    else yield* checkCsiDriverName(first, path);
    if (second === '') yield invalid(path, '', 'the name must not be empty');
    else yield* checkIdentifier(second, path);
  }
}

export function* checkFullyQualifiedName(name: string, path: FieldPath): Check {
  yield* checkQualifiedName(name, path);
  if (!name.includes('/'))
    yield invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash');
}

function* checkIdentifier(name: string, path: FieldPath): Check {
  if (byteLength(name) > identifierMaxBytes) yield tooLong(path, identifierMaxBytes);
  yield* problems(path, name, validateCIdentifier(name));
}

const normalUid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** UIDs in other notations, which are refused here: without dashes, in braces, or as URN. */
const anyUid =
  /^([0-9a-f]{32}|(?:urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\})$/i;
const uidLengths = new Set([32, 36, 38, 45]);

export function* checkUid(uid: string, path: FieldPath): Check {
  const bytes = byteLength(uid);
  if (!uidLengths.has(bytes)) yield invalid(path, uid, `error validating uid: invalid UUID length: ${bytes}`);
  else if (!anyUid.test(uid)) yield invalid(path, uid, 'error validating uid: invalid UUID format');
  else if (!normalUid.test(uid))
    yield invalid(
      path,
      uid,
      'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
    );
}

/** Checks each item; reports only the length of a list that is too long. */
export function* checkItems<T>(
  items: readonly T[] | undefined,
  max: number,
  path: FieldPath,
  check: (item: T, path: FieldPath) => Iterable<ReturnType<typeof invalid>>,
): Check {
  const list = items ?? [];
  if (list.length > max) {
    yield tooMany(path, list.length, max);
    return;
  }
  for (const [index, item] of list.entries()) yield* check(item, path.index(index));
}

/** As `checkItems`, and then reports duplicates. */
export function* checkUniqueItems<T>(
  items: readonly T[] | undefined,
  max: number,
  path: FieldPath,
  keyOf: (item: T) => string,
  check: (item: T, path: FieldPath) => Iterable<ReturnType<typeof invalid>>,
): Check {
  yield* checkItems(items, max, path, check);
  const list = items ?? [];
  if (list.length > max) return;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) yield duplicate(path.index(index), key);
    seen.add(key);
  }
}
