import type { CreateApiOptions, WebhookKind } from '@pintle/generate';
import { createApi, createController, createWebhook, WEBHOOK_KINDS } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import { showChanges } from './show-changes.ts';

interface Output {
  readonly output?: 'text' | 'json';
}

export type ApiFlags = Omit<CreateApiOptions, 'module'> & Output;

/** `pintle create api` */
export function api({ output, ...options }: ApiFlags): void {
  showChanges(createApi(process.cwd(), options), { output, next: ['npm test', 'npx pintle dev'] });
}

export interface WebhookFlags extends Output, Partial<Readonly<Record<WebhookKind, boolean>>> {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
}

/** `pintle create webhook` */
export function webhook({ output, ...flags }: WebhookFlags): void {
  const webhooks = WEBHOOK_KINDS.filter((each) => flags[each]);
  if (webhooks.length === 0) throw new UsageError('Say --defaulting, --validation or --conversion');
  showChanges(createWebhook(process.cwd(), { ...flags, webhooks }), { output, next: ['npm test'] });
}

/** `pintle create controller` */
export function controller({ output, ...options }: { readonly for: string } & Output): void {
  showChanges(createController(process.cwd(), options), { output, next: ['npm test'] });
}
