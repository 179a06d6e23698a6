import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { deepCopy } from '@pintle/machinery/json';
import { defineResource, ResourceError } from '@pintle/operator';
import { GenerateError, SourceError, type SourceLocation, type SourceProblem } from '../errors.ts';
import { type FoundVersion, isResource, readVersion } from './resource-version.ts';
import { SourceFiles } from './source-file.ts';
import { TypeReader } from './type-reader.ts';

interface FoundResource {
  readonly version: FoundVersion;
  readonly locations: ReadonlyMap<string, SourceLocation>;
}

/**
 * Returns the CRDs of the interfaces with `@resource` in these files, by name. Throws BadCode with all errors, each with its
 * file and line.
 */
export function definitionsFrom(root: string, paths: readonly string[]): CustomResourceDefinition[] {
  const files = new SourceFiles(root);
  const problems: SourceProblem[] = [];
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      problems.push(error.problem);
      return undefined;
    }
  };
  const declarations = paths.flatMap((path) => attempt(() => [...files.open(path).declarations.values()]) ?? []);
  const found = declarations.filter(isResource).flatMap((declaration): FoundResource[] => {
    const reader = new TypeReader(files);
    const version = attempt(() => readVersion(declaration, reader));
    return version === undefined ? [] : [{ version, locations: reader.locations }];
  });
  const definitions = [...byResource(found).values()].flatMap(
    (versions) => attempt(() => defined(versions, problems)) ?? [],
  );
  if (problems.length > 0) throw new GenerateError({ code: 'BadCode', problems });
  return definitions.sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
}

function byResource(found: readonly FoundResource[]): Map<string, FoundResource[]> {
  const groups = new Map<string, FoundResource[]>();
  for (const each of found) {
    const { group, kind } = each.version.shared;
    const key = `${group}/${kind}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}

function defined(found: readonly FoundResource[], problems: SourceProblem[]): CustomResourceDefinition[] {
  const [first] = found;
  const { location } = first!.version;
  const options = optionsOf(found);
  try {
    // The type distinguishes one version from several, which is only known at run time here.
    const { definition } = defineResource(options as Parameters<typeof defineResource>[0]);
    return [deepCopy(definition)];
  } catch (error) {
    if (!(error instanceof ResourceError) || error.failure.code !== 'InvalidDefinition') throw error;
    for (const { path, message } of error.failure.problems) {
      const at = locationOf(path, found) ?? location;
      problems.push({ ...at, message: path === '' ? message : `${path}: ${message}` });
    }
    return [];
  }
}

function optionsOf(found: readonly FoundResource[]): object {
  const [first] = found;
  const { shared } = Object.assign({}, first!.version);
  const merged = Object.assign({}, ...found.map(({ version }) => version.shared)) as typeof shared;
  if (found.length === 1) return { ...merged, version: first!.version.name, ...first!.version.options };
  const names = found.map(({ version }) => version.name);
  const twice = found.find(({ version }, index) => names.indexOf(version.name) !== index);
  if (twice !== undefined)
    throw new SourceError(twice.version.location, `${merged.kind} has version ${twice.version.name} twice`);
  const stored = found.filter(({ version }) => version.isStorage);
  if (stored.length !== 1)
    throw new SourceError(
      first!.version.location,
      `${merged.kind} has several versions: mark one with @storageVersion`,
    );
  const versions = Object.fromEntries(found.map(({ version }) => [version.name, version.options]));
  return { ...merged, versions, storage: stored[0]!.version.name };
}

/** Returns the location of the field at a path, or of the nearest one above it. */
function locationOf(path: string, found: readonly FoundResource[]): SourceLocation | undefined {
  for (const { version, locations } of found) {
    const own = found.length > 1 ? path.replace(`${version.name}.`, '') : path;
    if (found.length > 1 && own === path) continue;
    for (let at = own; at !== ''; at = at.replace(/(?:\.?[^.[\]{}]+|\[\]|\{\}|\[[^\]]*\])$/, '')) {
      const location = locations.get(at);
      if (location !== undefined) return location;
      if (!/[.[{]/.test(at)) break;
    }
  }
  return undefined;
}
