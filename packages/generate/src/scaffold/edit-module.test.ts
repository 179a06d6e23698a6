import { describe, expect, test } from 'vitest';
import { addCall, addImport } from './edit-module.ts';

describe('addImport', () => {
  test('comes after the other imports, and once', () => {
    const text = "import { a } from './a.ts';\n\nexport const x = a;\n";
    const once = addImport('m.ts', text, { name: 'b', from: './b.ts' });
    expect(once).toBe("import { a } from './a.ts';\nimport { b } from './b.ts';\n\nexport const x = a;\n");
    expect(addImport('m.ts', once, { name: 'b', from: './b.ts' })).toBe(once);
  });

  test('is the first thing where there are none', () => {
    expect(addImport('m.ts', 'export {};\n', { name: 'b', from: './b.ts' })).toBe(
      "import { b } from './b.ts';\n\nexport {};\n",
    );
  });
});

describe('addCall', () => {
  const inside = (body: string): string => `export function add(manager: Manager): void {${body}}\n`;
  const add = (text: string): string => addCall('m.ts', text, 'add', 'addB', 'addB(manager);');

  test('comes last, and once', () => {
    const once = add(inside('\n  addA(manager);\n'));
    expect(once).toBe(inside('\n  addA(manager);\n  addB(manager);\n'));
    expect(add(once)).toBe(once);
  });

  test('goes into an empty function', () => {
    expect(add(inside(''))).toBe(inside('\n  addB(manager);\n'));
  });

  test('leaves what people have written alone', () => {
    const text = inside('\n  // ours\n  if (process.env.X) addA(manager); // kept\n  const y = `}`;\n  use(y);\n');
    expect(add(text)).toBe(text.replace('  use(y);\n', '  use(y);\n  addB(manager);\n'));
  });

  test('says so when there is no such function, and when it is no TypeScript', () => {
    expect(() => add('export const add = 1;\n')).toThrow('it has no function add');
    expect(() => add('export function {')).toThrow('it cannot be parsed as TypeScript');
  });
});
