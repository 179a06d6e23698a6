import { describe, expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import { completions } from './completions.ts';

const program = createProgram();
const KINDS = [{ value: 'Fruit' }, { value: 'Leek' }];
const ask = (line: string) =>
  completions(program, line.split(' '), async (_, option) => (option === '--kind' ? KINDS : []));
const words = async (line: string): Promise<string[]> => (await ask(line)).candidates.map(({ value }) => value);

describe('a line is finished with', () => {
  test('commands, and not those that are hidden', async () => {
    expect(await words('')).toEqual(expect.arrayContaining(['up', 'init', 'create', 'upgrade', 'completion']));
    expect(await words('')).not.toContain('__complete');
    expect(await words('un')).toEqual(['uninstall', 'undeploy']);
    expect(await words('create ')).toEqual(expect.arrayContaining(['api', 'webhook', 'controller']));
  });

  test('flags that were not given yet', async () => {
    expect(await words('create api --k')).toEqual(['--kind']);
    expect(await words('create api --kind Fruit --k')).toEqual([]);
    expect(await words('create webhook --kind Fruit ')).toContain('--validation');
  });

  test('the values that a flag may have', async () => {
    expect(await words('create api --scope ')).toEqual(['Namespaced', 'Cluster']);
    expect(await words('create webhook --kind ')).toEqual(['Fruit', 'Leek']);
    expect(await words('create webhook --kind F')).toEqual(['Fruit']);
    expect(await words('completion z')).toEqual(['zsh']);
  });

  test('values behind the sign, in one word or, as bash has it, in three', async () => {
    expect(await words('create webhook --kind=L')).toEqual(['--kind=Leek']);
    expect(await words('create webhook --kind = L')).toEqual(['Leek']);
    expect(await words('create webhook --kind =')).toEqual(['Fruit', 'Leek']);
  });

  test.each([
    ['validate -f ', 'files'],
    ['validate -f a.yaml ', 'files'],
    ['up --data ', 'folders'],
    ['init ', 'folders'],
    ['generate types --from ', 'files'],
  ])('paths: %s', async (line, paths) => {
    expect(await ask(line)).toEqual({ candidates: [], paths });
  });
});
