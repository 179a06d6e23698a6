import { builtinGroups } from '@pintle/kinds/discovery';
import { type FileChange, GenerateError } from '../errors.ts';
import { Changes } from '../project/changes.ts';
import { checkKind, checkResource, checkVersion, kebab } from '../project/names.ts';
import {
  findResource,
  folderOf,
  PROJECT_FILE,
  type Project,
  type ProjectResource,
  projectText,
  readProject,
  WEBHOOK_KINDS,
  type WebhookKind,
  withResource,
} from '../project/project.ts';
import { addCall, addImport } from './edit-module.ts';
import { addConversions, addVersion, otherVersion } from './resource-versions.ts';
import { type SampleFields, sampleFields } from './sample-field.ts';
import {
  controllerModule,
  controllerTest,
  foreignControllerModule,
  foreignControllerTest,
  resourceModule,
} from './templates/resource-files.ts';
import {
  type AdmissionKind,
  conversionTest,
  webhookCall,
  webhookModule,
  webhookTest,
  webhookTestOf,
} from './templates/webhook-files.ts';
import { addToChain } from './webhook-chain.ts';

const OF_ANOTHER_GROUP =
  'It is of another group: `pintle edit --multigroup` moves the resources to a folder for each group';
const OPERATOR_FILE = 'src/operator.ts';

export interface CreateApiOptions {
  /** `food` stands for `food.DOMAIN`; a group with a dot is complete; empty stands for the domain. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Default: true. */
  readonly resource?: boolean;
  /** Default: true. */
  readonly controller?: boolean;
  /** Code of the module that defines the resource. Default: a sample. */
  readonly module?: string;
}

/** Adds a resource and its controller to the project. A second call changes nothing. */
export function createApi(directory: string, options: CreateApiOptions): readonly FileChange[] {
  const { version, kind, resource: hasResource = true, controller = true } = options;
  const project = readProject(directory);
  checkResource(options);
  const group = fullGroup(project, options.group);
  const known = findResource(project, { group, version, kind });
  const other = findResource(project, { group, kind });
  if (known === undefined && other?.isDefined && options.module === undefined)
    return createVersion(directory, project, { ...other, version });
  const resource: ProjectResource = {
    group,
    version,
    kind,
    scope: known?.scope ?? options.scope ?? 'Namespaced',
    isDefined: true,
    hasController: controller || known?.hasController === true,
    webhooks: known?.webhooks ?? [],
  };
  const changes = new Changes(directory);
  const folder = folderOf(project, resource);
  const module = `${folder}/${kebab(kind)}`;
  if (options.scope !== undefined && options.scope !== resource.scope) refuseScope(resource, `${module}.ts`);
  const isElsewhere = project.resources.some((each) => each.kind === kind && each.group !== group);
  if (known === undefined && isElsewhere && changes.read(`${module}.ts`) !== undefined)
    throw new GenerateError({ code: 'Exists', paths: [`${module}.ts`], advice: OF_ANOTHER_GROUP });
  if (!hasResource && changes.read(`${module}.ts`) === undefined) {
    const detail = `${module}.ts must define it with --no-resource`;
    throw new GenerateError({ code: 'BadName', what: 'the kind to control', name: kind, detail });
  }
  // Files that the project has already are not changed.
  if (hasResource && known === undefined) changes.create(`${module}.ts`, options.module ?? resourceModule(resource));
  if (controller && known?.hasController !== true) {
    const isGiven = options.module !== undefined;
    const own = `./${kebab(kind)}.ts`;
    const text = isGiven ? foreignControllerModule(resource, own) : controllerModule(resource);
    const name = `${kebab(kind)}-${firstPart(group)}`;
    // Names of controllers are unique in an operator.
    const named = isElsewhere ? text.replace(`controller(${kind})`, `controller(${kind}, '${name}')`) : text;
    changes.create(`${module}-controller.ts`, named);
    const test = isGiven ? foreignControllerTest(resource, own) : controllerTest(resource);
    changes.create(`${module}-controller.test.ts`, test);
    register(changes, `add${kind}Controller`, `${module}-controller.ts`, localName(project, resource, 'Controller'));
  }
  return record(changes, project, resource);
}

/** Adds a version to the module of an existing resource. Its controller reconciles both. */
function createVersion(directory: string, project: Project, resource: ProjectResource): readonly FileChange[] {
  const { kind, version, webhooks } = resource;
  const path = `${folderOf(project, resource)}/${kebab(kind)}.ts`;
  const changes = new Changes(directory);
  changes.edit(path, (text) => addVersion(path, text, kind, version));
  if (webhooks.includes('conversion')) {
    changes.edit(path, (text) => addConversions(path, text, kind));
    addConversionTest(changes, path, resource);
  }
  return record(changes, project, resource);
}

/** Adds a test of the conversions of a version, unless the file exists. */
function addConversionTest(changes: Changes, path: string, resource: ProjectResource): void {
  const test = path.replace(/\.ts$/, '-conversion.test.ts');
  if (changes.read(test) !== undefined) return;
  const fields = sampleFields(path, changes.read(path) ?? '', resource.kind);
  changes.create(test, conversionTest(resource, resource.version, fields));
}

function refuseScope({ kind, scope }: ProjectResource, path: string): never {
  const detail = `it has ${kind} with scope ${scope}; change it there and in ${PROJECT_FILE}`;
  throw new GenerateError({ code: 'CannotEdit', path, detail });
}

export interface CreateWebhookOptions {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly webhooks: readonly WebhookKind[];
}

function definedKinds({ resources }: Project): string {
  const kinds = [...new Set(resources.filter(({ isDefined }) => isDefined).map(({ kind }) => kind))];
  return kinds.length === 0 ? 'the project defines no kind' : `the project defines ${kinds.join(', ')}`;
}

/** Adds webhooks of a resource that the project defines. */
export function createWebhook(directory: string, options: CreateWebhookOptions): readonly FileChange[] {
  const project = readProject(directory);
  const { kind, webhooks } = options;
  const group = options.group === undefined ? undefined : fullGroup(project, options.group);
  const resource = findResource(project, {
    kind,
    ...(group !== undefined && { group }),
    ...(options.version !== undefined && { version: options.version }),
  });
  if (!resource?.isDefined) {
    const isBuiltin = builtinKinds().some((each) => each.kind === kind);
    const elsewhere = isBuiltin
      ? `add webhooks of a built-in kind in src/operator.ts, with \`manager.webhooks.for(${kind})\``
      : '`pintle create api` defines another';
    const detail = `${definedKinds(project)}; ${elsewhere}`;
    throw new GenerateError({ code: 'BadName', what: 'the kind of a webhook', name: kind, detail });
  }
  if (webhooks.length === 0) {
    const detail = 'pass --defaulting, --validation or --conversion';
    throw new GenerateError({ code: 'BadName', what: 'the kind of a webhook', name: kind, detail });
  }
  const changes = new Changes(directory);
  const module = `${folderOf(project, resource)}/${kebab(kind)}`;
  const missing = webhooks.filter((each) => !resource.webhooks.includes(each));
  if (missing.includes('conversion') && changes.read(`${module}.ts`) !== undefined) {
    const path = `${module}.ts`;
    changes.edit(path, (text) => addConversions(path, text, kind));
    const other = otherVersion(path, changes.read(path) ?? '', kind);
    if (other !== undefined) addConversionTest(changes, path, { ...resource, version: other });
  }
  const asked = missing.filter((each) => each !== 'conversion');
  const fields = sampleFields(`${module}.ts`, changes.read(`${module}.ts`) ?? '', kind);
  const isOfScaffold = resource.webhooks.some((each) => each !== 'conversion');
  if (asked.length > 0 && isOfScaffold && changes.read(`${module}-webhooks.ts`) !== undefined)
    addMore(changes, { resource, asked, module, fields });
  else if (asked.length > 0) {
    changes.create(`${module}-webhooks.ts`, webhookModule(resource, asked, fields));
    changes.create(`${module}-webhooks.test.ts`, webhookTest(resource, asked, fields));
    register(changes, `add${kind}Webhooks`, `${module}-webhooks.ts`, localName(project, resource, 'Webhooks'));
  }
  const all = WEBHOOK_KINDS.filter((each) => resource.webhooks.includes(each) || webhooks.includes(each));
  const versions = project.resources.filter((each) => each.group === resource.group && each.kind === kind);
  const after = versions.map((each) => ({ ...each, webhooks: all })).reduce(withResource, project);
  changes.put(PROJECT_FILE, projectText(after));
  return changes.write();
}

interface MoreWebhooks {
  readonly resource: ProjectResource;
  readonly asked: readonly AdmissionKind[];
  readonly module: string;
  readonly fields: SampleFields;
}

/** Adds webhooks at the end of the chain of existing ones. Throws CannotEdit when the chain is not found. */
function addMore(changes: Changes, { resource, asked, module, fields }: MoreWebhooks): void {
  const { kind, webhooks } = resource;
  const path = `${module}-webhooks.ts`;
  for (const each of asked) {
    const { method, call, imports } = webhookCall(resource, each, fields);
    changes.edit(path, (text) => {
      const added = addToChain(path, text, kind, method, call);
      if (added !== undefined) return imports ? addImport(path, added, imports) : added;
      const detail = `it already has ${webhooks.join(' and ')}; add ${each} there`;
      throw new GenerateError({ code: 'CannotEdit', path, detail });
    });
  }
  const test = `${module}-webhooks.test.ts`;
  const isOurs = changes.read(test)?.includes('async function start()') ?? false;
  if (isOurs)
    changes.edit(test, (text) => `${text}\n${asked.map((each) => webhookTestOf(kind, each, fields)).join('\n')}`);
}

export interface CreateControllerOptions {
  /** A kind that is defined elsewhere, such as `core/v1/Pod`. */
  readonly for: string;
}

/** Adds a controller for a built-in kind. */
export function createController(directory: string, options: CreateControllerOptions): readonly FileChange[] {
  const project = readProject(directory);
  const [group = '', version = '', kind = '', more] = options.for.split('/');
  if (more !== undefined || kind === '') {
    const detail = 'a kind looks like core/v1/Pod or apps/v1/Deployment';
    throw new GenerateError({ code: 'BadName', what: 'the kind to control', name: options.for, detail });
  }
  checkKind(kind);
  checkVersion(version);
  const resource: ProjectResource = {
    group: group === 'core' ? '' : group,
    version,
    kind,
    scope: builtinScope(options.for, group === 'core' ? '' : group, version, kind),
    isDefined: false,
    hasController: true,
    webhooks: [],
  };
  const changes = new Changes(directory);
  if (findResource(project, resource) === undefined) {
    const module = `${folderOf(project, resource)}/${kebab(kind)}-controller`;
    const from = `@pintle/kinds/${(group || 'core').split('.')[0]}/${version}`;
    changes.create(`${module}.ts`, foreignControllerModule(resource, from));
    changes.create(`${module}.test.ts`, foreignControllerTest(resource));
    register(changes, `add${kind}Controller`, `${module}.ts`);
  }
  return record(changes, project, resource);
}

/** Returns the scope of a built-in kind. Throws BadName, with similar kinds, when it does not exist. */
function builtinScope(name: string, group: string, version: string, kind: string): ProjectResource['scope'] {
  const all = builtinKinds();
  const found = all.find((each) => each.group === group && each.version === version && each.kind === kind);
  if (found !== undefined) return found.scope;
  const alike = all
    .filter((each) => each.kind === kind)
    .map((each) => `${each.group || 'core'}/${each.version}/${each.kind}`);
  const detail =
    alike.length > 0
      ? `did you mean ${alike.join(' or ')}?`
      : 'Kubernetes has no such kind; for a custom kind, use `pintle create api --from-crd FILE`';
  throw new GenerateError({ code: 'BadName', what: 'the kind to control', name, detail });
}

function builtinKinds() {
  return builtinGroups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ responseKind: { kind }, scope }) => ({ group, version, kind, scope })),
    ),
  );
}

function fullGroup({ domain }: Project, group: string): string {
  if (group === '') return domain;
  return group.includes('.') ? group : `${group}.${domain}`;
}

/** Adds a call to `addOperator`. */
function register(changes: Changes, name: string, module: string, local = name): void {
  changes.edit(OPERATOR_FILE, (text) => {
    const imported = addImport(OPERATOR_FILE, text, { name, local, from: `./${module.slice('src/'.length)}` });
    return addCall(OPERATOR_FILE, imported, 'addOperator', local, `${local}(manager);`);
  });
}

/** Returns a name that differs from that of the same kind in another group. */
function localName({ resources }: Project, { group, kind }: ProjectResource, suffix: string): string {
  const isElsewhere = resources.some((each) => each.kind === kind && each.group !== group);
  const prefix = isElsewhere
    ? firstPart(group).replaceAll(/(?:^|-)([a-z0-9])/g, (_text, letter) => letter.toUpperCase())
    : '';
  return `add${prefix}${kind}${suffix}`;
}

function firstPart(group: string): string {
  return group.split('.')[0] || 'core';
}

function record(changes: Changes, project: Project, resource: ProjectResource): readonly FileChange[] {
  changes.put(PROJECT_FILE, projectText(withResource(project, resource)));
  return changes.write();
}
