export type { GenerateFailure } from './errors.ts';
export { GenerateError } from './errors.ts';
export type { FileChange } from './scaffold/changes.ts';
export type { CreateApiOptions, CreateControllerOptions, CreateWebhookOptions } from './scaffold/create-api.ts';
export { createApi, createController, createWebhook } from './scaffold/create-api.ts';
export type { InitOptions } from './scaffold/init.ts';
export { initProject } from './scaffold/init.ts';
export type { Project, ProjectResource, WebhookKind } from './scaffold/project.ts';
export { PROJECT_FILE, readProject, WEBHOOK_KINDS } from './scaffold/project.ts';
