import type { CreateApiOptions, WebhookKind } from '@pintle/generate';
import { createApi, createController, createWebhook, readProject, resourceFrom, WEBHOOK_KINDS } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import { projectDirectory } from './project-directory.ts';
import { showChanges } from './show-changes.ts';

interface Output {
  readonly output?: 'text' | 'json';
}

type ApiFlags = Partial<Omit<CreateApiOptions, 'module'>> & Output & { readonly fromCrd?: string };

/** `pintle create api` */
export function api({ output, fromCrd, ...flags }: ApiFlags): void {
  const options = fromCrd === undefined ? named(flags) : { ...flags, ...resourceFrom(fromCrd, flags.kind) };
  showChanges(createApi(projectDirectory(), options), { output, next: ['npm test', 'npm run dev'] });
}

function named(flags: Partial<CreateApiOptions>): CreateApiOptions {
  const { group, version, kind, ...more } = flags;
  if (group === undefined || version === undefined || kind === undefined)
    throw new UsageError('Cannot create an API: pass --group, --version and --kind, or --from-crd');
  return { ...more, group, version, kind };
}

interface WebhookFlags extends Output, Partial<Readonly<Record<WebhookKind, boolean>>> {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
}

/** `pintle create webhook` */
export function webhook({ output, ...flags }: WebhookFlags): void {
  const webhooks = WEBHOOK_KINDS.filter((each) => flags[each]);
  if (webhooks.length === 0)
    throw new UsageError('Cannot create a webhook: pass --defaulting, --validation or --conversion');
  const changes = createWebhook(projectDirectory(), { ...flags, webhooks });
  const versions = readProject(projectDirectory()).resources.filter(({ kind }) => kind === flags.kind);
  const notes = flags.conversion && versions.length === 1 ? [ONE_VERSION] : [];
  showChanges(changes, { output, next: ['npm test'], notes });
}

const ONE_VERSION =
  'The resource has one version, so nothing is converted yet. Add a version with `pintle create api --version`';

/** `pintle create controller` */
export function controller({ output, ...options }: { readonly for: string } & Output): void {
  showChanges(createController(projectDirectory(), options), { output, next: ['npm test'] });
}
