import { authorizationLibrary } from './authorization.ts';
import type { Library } from './declare.ts';
import { formatLibrary } from './formats.ts';
import { cidrLibrary, ipLibrary } from './ip.ts';
import { listsExtension, listsLibrary } from './lists.ts';
import { optionalsLibrary } from './optionals.ts';
import { quantityLibrary } from './quantities.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { setsLibrary } from './sets.ts';
import { standardLibrary } from './standard.ts';
import { stringsLibrary } from './strings.ts';
import { urlsLibrary } from './urls.ts';

/** Libraries of all expressions in Kubernetes 1.36. */
export const kubernetesLibraries: readonly Library[] = [
  standardLibrary,
  optionalsLibrary,
  stringsLibrary,
  listsLibrary,
  listsExtension,
  setsLibrary,
  regexLibrary,
  urlsLibrary,
  quantityLibrary,
  semverLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  authorizationLibrary,
];
