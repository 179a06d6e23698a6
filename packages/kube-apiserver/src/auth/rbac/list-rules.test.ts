import { expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
const ann = { username: 'ann', groups: ['system:authenticated'] };

interface Status {
  readonly resourceRules: readonly { readonly resourceNames?: readonly string[] }[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** The rules of roles that have a name, where each role is bound so often, as Ann is told them. */
async function ask(roles: readonly (readonly string[])[], bindings: number): Promise<Status> {
  await using api = await openTestApi();
  for (const [index, names] of roles.entries()) {
    const rules = names.map((name) => ({
      apiGroups: [''],
      verbs: ['get'],
      resources: ['pods'],
      resourceNames: [name],
    }));
    await api.post(`${RBAC}/roles`, { metadata: { name: `r${index}` }, rules });
    for (let i = 0; i < bindings; i++) {
      const subjects = [{ kind: 'User', name: 'ann' }];
      const roleRef = { kind: 'Role', name: `r${index}` };
      await api.post(`${RBAC}/rolebindings`, { metadata: { name: `b${index}.${i}` }, roleRef, subjects });
    }
  }
  const { body } = await api.post(REVIEWS, { spec: { namespace: 'default' } }, { user: ann });
  const status = body.status as Status;
  return { ...status, resourceRules: status.resourceRules.filter(({ resourceNames }) => resourceNames) };
}

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test('Rules are told once per binding, as long as there are few', async () => {
  const { resourceRules, ...rest } = await ask([['a', 'b']], 3);
  expect(resourceRules).toHaveLength(6);
  expect(rest).toMatchObject({ incomplete: false });
});

test('Where bindings multiply them, each is told once', async () => {
  const names = many('n', 2_000);
  const { resourceRules, ...rest } = await ask([names, names], 20);
  expect(resourceRules).toHaveLength(2_000);
  expect(rest).toMatchObject({ incomplete: false });
});

test('Those that do not fit into an answer are left out, and the answer says so', async () => {
  const long = (prefix: string) => many(prefix.repeat(200), 3_000);
  const { resourceRules, incomplete, evaluationError } = await ask(['a', 'b', 'c', 'd', 'e', 'f'].map(long), 1);
  expect(resourceRules.length).toBeGreaterThan(3_000);
  expect(resourceRules.length).toBeLessThan(18_000);
  expect(incomplete).toBe(true);
  expect(evaluationError).toBe('not every rule is listed: they have more than 1572864 characters');
});
