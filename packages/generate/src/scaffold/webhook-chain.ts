import MagicString from 'magic-string';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
import { parsed } from './edit-module.ts';

/**
 * Adds a call at the end of the chain `….for(KIND)`, unless it has a call of that name. Returns the module; `undefined` when
 * it has no such chain.
 */
export function addToChain(path: string, text: string, kind: string, name: string, call: string): string | undefined {
  for (const node of nodesOf(parsed(path, text))) {
    if (node.type !== 'ExpressionStatement') continue;
    const calls = callsOf(node.expression as Node);
    const begin = calls.find((each) => nameOf(each) === 'for');
    if ((begin?.arguments as { name?: string }[] | undefined)?.[0]?.name !== kind) continue;
    if (calls.some((each) => nameOf(each) === name)) return text;
    return new MagicString(text).appendRight((node.expression as Node).end, `\n${call}`).toString();
  }
  return undefined;
}

/** Returns the calls of a chain, the last one first. */
function callsOf(expression: Node): Node[] {
  const calls: Node[] = [];
  for (let node: Node | undefined = expression; node?.type === 'CallExpression'; ) {
    calls.push(node);
    const callee = node.callee as Node;
    node = callee.type === 'MemberExpression' ? (callee.object as Node) : undefined;
  }
  return calls;
}

function nameOf({ callee }: Node): string | undefined {
  return ((callee as Node).property as { name?: string } | undefined)?.name;
}
