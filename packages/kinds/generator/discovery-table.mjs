import { groupsOf } from './api.mjs';
import { printStrings } from './interfaces.mjs';

/** Makes the table of the server's resources, in the order of discovery. */
export function generateDiscovery(api) {
  const verbSets = new VerbSets();
  const groups = groupsOf(api.discovery).map((group) => printGroup(group, verbSets));
  const head = "import type { BuiltinGroup } from '../discovery.ts';\n";
  const body = `export const groups: readonly BuiltinGroup[] = [\n${groups.join('')}];\n`;
  return new Map([['groups.ts', `${head}\n${verbSets.print()}\n${body}`]]);
}

function printGroup({ group, versions }, verbSets) {
  const texts = versions.map(({ version, resources }) => {
    const lines = resources.map((resource) => `      ${printResource(resource, verbSets)},\n`);
    return `    { version: '${version}', resources: [\n${lines.join('')}    ] },\n`;
  });
  return `  { group: '${group}', versions: [\n${texts.join('')}  ] },\n`;
}

function printResource(resource, verbSets) {
  const facts = [
    `resource: '${resource.resource}'`,
    `singular: '${resource.singularResource}'`,
    `scope: '${resource.scope}'`,
    ...printCommon(resource, verbSets),
    `shortNames: ${printStrings(resource.shortNames ?? [])}`,
    `categories: ${printStrings(resource.categories ?? [])}`,
    `subresources: [${(resource.subresources ?? []).map((item) => printSubresource(item, verbSets)).join(', ')}]`,
  ];
  return `{ ${facts.join(', ')} }`;
}

function printSubresource(subresource, verbSets) {
  return `{ ${[`subresource: '${subresource.subresource}'`, ...printCommon(subresource, verbSets)].join(', ')} }`;
}

function printCommon({ responseKind: { group, version, kind }, acceptedTypes, verbs }, verbSets) {
  const accepted = (acceptedTypes ?? []).map(
    (type) => `{ group: '${type.group}', version: '${type.version}', kind: '${type.kind}' }`,
  );
  return [
    `responseKind: { group: '${group}', version: '${version}', kind: '${kind}' }`,
    `verbs: ${verbSets.nameOf(verbs)}`,
    `acceptedTypes: [${accepted.join(', ')}]`,
  ];
}

/** Most resources share a handful of verb lists. */
class VerbSets {
  #names = new Map();

  nameOf(verbs) {
    const text = printStrings(verbs);
    if (!this.#names.has(text)) this.#names.set(text, `verbs${this.#names.size + 1}`);
    return this.#names.get(text);
  }

  print() {
    return [...this.#names].map(([text, name]) => `const ${name}: readonly string[] = ${text};\n`).join('');
  }
}
