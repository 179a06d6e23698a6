import type { JsonObject } from '@pintle/machinery/json';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';
import { compileExpression, Environment, kubernetesLibraries, ruleEvaluatorOf } from '../index.ts';

const ROUND_MS = 200;
const ROUNDS = 5;

/** Compares rules with schema validation of the same object, which every custom resource pays for anyway. */
export async function bench(print: (line: string) => void): Promise<void> {
  const schema = parseSchema(definition);
  const rules = ruleEvaluatorOf(schema)!;
  const compiled = compileSchema(schema);
  if (rules.evaluate(object).errors.length > 0) throw new Error('Cannot run benchmark: the object violates its rules');
  const validation = measure(() => compiled.validate(object));
  const evaluation = measure(() => rules.evaluate(object));
  print(`5 rules on an object of 40 fields: ${micros(evaluation)}, validating it by its schema ${micros(validation)}`);

  const environment = new Environment({ variables: {}, libraries: kubernetesLibraries });
  const compilation = measure(() => compileExpression(source, environment));
  print(`compiling a rule of ${source.length} characters: ${micros(compilation)}`);

  const loop = compileExpression('lists.range(90).all(x, lists.range(90).all(y, x + y >= 0))', environment);
  if (!('program' in loop)) throw new Error(loop.error);
  const { cost } = loop.program.evaluate({});
  const looping = measure(() => loop.program.evaluate({}));
  print(
    `a loop in a loop: ${(1e9 / looping / cost).toFixed(0)} ns for each unit of cost (Kubernetes reckons with 50 to 100)`,
  );
}

const source = "['a', 'b'].all(x, x.size() < 10 && x.matches('^[a-z]+$')) || {'a': 1}.exists(k, k.startsWith('b'))";

function micros(perSecond: number): string {
  return `${(1e6 / perSecond).toFixed(1)} µs`;
}

/** Returns calls per second: the best of a few rounds, because a busy machine only slows things down. */
function measure(call: () => unknown): number {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let calls = 0;
    while (performance.now() - start < ROUND_MS) {
      for (let i = 0; i < 20; i++) call();
      calls += 20;
    }
    best = Math.max(best, (calls * 1000) / (performance.now() - start));
  }
  return best;
}

const kinds: readonly JsonObject[] = [
  { type: 'integer' },
  { type: 'string', maxLength: 64 },
  { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
];
const names = Array.from({ length: 40 }, (_, index) => `f${index}`);

const definition: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(names.map((name, index) => [name, kinds[index % 3]!])),
      'x-kubernetes-validations': [
        { rule: 'self.f0 <= self.f3' },
        { rule: "self.f1.startsWith('a') && self.f4 != ''" },
        { rule: 'self.f2.all(x, x.size() < 20)' },
        { rule: "!has(self.f5) || self.f5.exists(x, x == 'b')" },
        { rule: "self.f7.matches('^[a-z]+$')" },
      ],
    },
  },
};

const values = [(index: number) => index, () => 'abc', () => ['a', 'b', 'c']];

const object: JsonObject = {
  apiVersion: 'bench.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'thing' },
  spec: Object.fromEntries(names.map((name, index) => [name, values[index % 3]!(index)])),
};
