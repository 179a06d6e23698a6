import type { Library } from './declare.ts';
import { regexLibrary } from './regex.ts';
import { standardLibrary } from './standard.ts';

/** What every expression in Kubernetes 1.36 may use. */
export const kubernetesLibraries: readonly Library[] = [standardLibrary, regexLibrary];
