import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MAIN, pintle, scaffoldFruits } from './helpers/project.ts';

const { parent, project } = await scaffoldFruits();
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** As of a person who has no cluster. */
const { KUBECONFIG: _kubeconfig, KUBERNETES_SERVICE_HOST: _host, ...rest } = process.env;
const env = { ...rest, HOME: parent, NO_COLOR: '1' };

/** Returns the output of doctor, however it ends. */
async function diagnosis(): Promise<string> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'doctor'], { cwd: project, env }, (_error, stdout) => resolve(stdout));
  });
}

test('doctor counts kinds, finds the plane of this folder and says everything once', { timeout: 180_000 }, async () => {
  await pintle(project, 'create api --group food --version v2 --kind Fruit');
  expect(await diagnosis()).toMatch(
    /^ok project +fruits, 1 resource$[\s\S]*^-- cluster .*pintle dev.*\n-- definitions +fails for the same reason as cluster$/m,
  );
  // Nothing is wrong for somebody who has no cluster yet; a cluster that was named has to be there.
  await pintle(project, 'doctor', env);
  await expect(pintle(project, 'doctor --kubeconfig none', env)).rejects.toMatchObject({ code: 1 });

  const kubeconfig = join(project, '.pintle', 'kubeconfig');
  mkdirSync(join(project, '.pintle'), { recursive: true });
  const line = [MAIN, 'up', '--memory', '--port', '0', '--kubeconfig', kubeconfig];
  const plane = spawn(process.execPath, line, { cwd: project, env });
  const ended = once(plane, 'exit');
  try {
    for await (const chunk of plane.stdout) if (`${chunk}`.includes('Press Ctrl-C to stop')) break;
    await pintle(project, 'generate manifests');
    const found = await diagnosis();
    expect(found).toMatch(/^ok manifests +up to date with the code\nok cluster +reachable/m);
    expect(found).toMatch(/^-- definitions +1 of 1 not on the cluster yet/m);

    writeFileSync(join(project, 'src', 'wrong.ts'), "export const wrong: number = 'text';\n");
    expect((await diagnosis()).match(/wrong\.ts/g)).toHaveLength(1);
  } finally {
    plane.kill('SIGTERM');
    await ended;
  }
});
