import type { RequestRecord } from '../../protocol.ts';

type Denied = Pick<RequestRecord, 'verb' | 'group' | 'resource' | 'namespace' | 'path'>;

/** Returns the least rule that would allow a request, as YAML of a Role or ClusterRole. */
export function ruleText({ verb, group, resource, namespace, path }: Denied): string {
  const rule =
    resource === ''
      ? [`nonResourceURLs: [${JSON.stringify(path)}]`, `verbs: [${JSON.stringify(verb)}]`]
      : [
          `apiGroups: [${JSON.stringify(group)}]`,
          `resources: [${JSON.stringify(resource)}]`,
          `verbs: [${JSON.stringify(verb)}]`,
        ];
  const kind = namespace === '' ? '# ClusterRole' : `# Role in ${namespace}, or ClusterRole`;
  return `${kind}\nrules:\n- ${rule.join('\n  ')}\n`;
}
