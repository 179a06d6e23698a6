import type { ForestSnapshot, Placed } from './forest.ts';

/** A card, or a block of small squares for many alike. */
export type Shape = Card | Block;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of the node that it hangs on. */
  readonly parent: Card | undefined;
}

export interface Card extends Box {
  readonly type: 'card';
  readonly uid: string;
}

/** Siblings of one kind that have nothing below them, in a grid: thousands stay one look. */
export interface Block extends Box {
  readonly type: 'block';
  readonly uids: readonly string[];
  readonly columns: number;
  readonly label: string;
}

export interface Heading {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly shapes: readonly Shape[];
  readonly headings: readonly Heading[];
  readonly width: number;
  readonly height: number;
}

export const CARD = { width: 208, height: 40 } as const;
export const SQUARE = 18;
export const CAPTION = 18;
const GAP_X = 56;
const GAP_Y = 10;
const TREE_GAP = 26;
const SECTION_GAP = 44;
const HEADING = 40;
/** More leaves of a kind than this become a block. */
const MAX_LEAVES = 6;

interface Tree {
  readonly shapes: Shape[];
  readonly width: number;
  readonly height: number;
}

interface LayoutOptions {
  /** Show also nodes without owners and dependents. */
  readonly isAll: boolean;
  /** Width over height of the place that it is shown in. */
  readonly aspect: number;
  /** Show the tree of this node only. */
  readonly root?: string | undefined;
}

/**
 * Trees from left to right, each node beside the middle of what it owns; the trees of a namespace side by side in columns.
 * Every node is looked at once.
 */
export function layOut(forest: ForestSnapshot, { isAll, aspect, root }: LayoutOptions): Layout {
  const chosen = root === undefined ? forest.roots : [forest.nodes.get(root)].filter((node) => node !== undefined);
  const namespaces = new Map<string, Placed[]>();
  for (const node of chosen) {
    const known = namespaces.get(node.namespace);
    if (known === undefined) namespaces.set(node.namespace, [node]);
    else known.push(node);
  }
  const sections = [...namespaces]
    .sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map(([namespace, nodes]) => ({ namespace, trees: treesOf(forest, nodes, isAll || root !== undefined) }))
    .filter(({ trees }) => trees.length > 0);
  return stack(sections, aspect);
}

/** The cluster's own namespaces come last. */
function rankOf(namespace: string): number {
  return namespace === '' ? 2 : namespace.startsWith('kube-') ? 1 : 0;
}

function treesOf(forest: ForestSnapshot, nodes: readonly Placed[], isAll: boolean): Tree[] {
  const families = nodes.filter((node) => forest.children.has(node.uid)).sort(byName);
  const loners = isAll ? nodes.filter((node) => !forest.children.has(node.uid)) : [];
  const trees = families.map((node) => treeOf(forest, node, new Set()));
  for (const group of byKind(loners)) {
    if (group.length === 1) trees.push(treeOf(forest, group[0]!, new Set()));
    else trees.push(blockOf(group.sort(byName)));
  }
  return trees;
}

function treeOf(forest: ForestSnapshot, node: Placed, above: Set<string>): Tree {
  above.add(node.uid);
  const children = (forest.children.get(node.uid) ?? []).filter((child) => !above.has(child.uid));
  const leaves = children.filter((child) => !forest.children.has(child.uid));
  const below: Tree[] = children
    .filter((child) => forest.children.has(child.uid))
    .sort(byAge)
    .map((child) => treeOf(forest, child, above));
  for (const group of byKind(leaves)) {
    group.sort(byName);
    if (group.length > MAX_LEAVES) below.push(blockOf(group));
    else for (const leaf of group) below.push(cardOf(leaf));
  }
  above.delete(node.uid);
  return joined(node, below);
}

function joined(node: Placed, below: readonly Tree[]): Tree {
  const height = Math.max(CARD.height, sum(below.map((tree) => tree.height)) + GAP_Y * Math.max(0, below.length - 1));
  const card: Card = { type: 'card', uid: node.uid, x: 0, y: (height - CARD.height) / 2, parent: undefined, ...CARD };
  const shapes: Shape[] = [card];
  let y = 0;
  for (const tree of below) {
    for (const shape of moved(tree.shapes, CARD.width + GAP_X, y)) {
      // Shapes below refer to this very shape.
      if (shape.parent === undefined) (shape as { parent: Card }).parent = card;
      shapes.push(shape);
    }
    y += tree.height + GAP_Y;
  }
  const width = CARD.width + Math.max(0, ...below.map((tree) => tree.width + GAP_X));
  return { shapes, width, height };
}

function cardOf(node: Placed): Tree {
  return { shapes: [{ type: 'card', uid: node.uid, x: 0, y: 0, parent: undefined, ...CARD }], ...CARD };
}

function blockOf(nodes: readonly Placed[]): Tree {
  const columns = Math.max(8, Math.min(64, Math.ceil(Math.sqrt(nodes.length * 2.4))));
  const width = columns * SQUARE;
  const height = Math.ceil(nodes.length / columns) * SQUARE + CAPTION;
  const label = `${nodes.length.toLocaleString('en')} ${nodes[0]!.kind.resource}`;
  const uids = nodes.map((node) => node.uid);
  return {
    shapes: [{ type: 'block', uids, columns, label, x: 0, y: 0, width, height, parent: undefined }],
    width,
    height,
  };
}

/** Moves shapes, and the parents that they name with them. */
function moved(shapes: readonly Shape[], dx: number, dy: number): Shape[] {
  const copies = new Map<Shape, Shape>();
  return shapes.map((shape) => {
    const parent = shape.parent === undefined ? undefined : (copies.get(shape.parent) as Card);
    const copy = { ...shape, x: shape.x + dx, y: shape.y + dy, parent };
    copies.set(shape, copy);
    return copy;
  });
}

interface Section {
  readonly namespace: string;
  readonly trees: readonly Tree[];
}

/** Namespaces below each other, the trees of each in as many columns as make the whole fit the place. */
function stack(sections: readonly Section[], aspect: number): Layout {
  const area = sum(
    sections.flatMap(({ trees }) => trees.map((tree) => (tree.width + TREE_GAP) * (tree.height + TREE_GAP))),
  );
  const widest = Math.max(0, ...sections.flatMap(({ trees }) => trees.map((tree) => tree.width)));
  const target = Math.max(widest, Math.sqrt(area * aspect) * 1.1);
  const shapes: Shape[] = [];
  const headings: Heading[] = [];
  let y = 0;
  let width = 0;
  for (const { namespace, trees } of sections) {
    headings.push({ text: namespace === '' ? 'cluster' : namespace, x: 0, y });
    y += HEADING;
    const packed = pack(trees, target);
    for (const [tree, at] of packed.places) for (const shape of moved(tree.shapes, at.x, y + at.y)) shapes.push(shape);
    width = Math.max(width, packed.width);
    y += packed.height + SECTION_GAP;
  }
  return { shapes, headings, width, height: Math.max(0, y - SECTION_GAP) };
}

/** Puts each tree at the top of the shortest run of columns that it fits in. */
function pack(trees: readonly Tree[], target: number) {
  const step = (CARD.width + TREE_GAP) / 6;
  const count = Math.max(1, Math.floor((target + TREE_GAP) / step));
  const heights = new Array<number>(count).fill(0);
  const places: [Tree, { x: number; y: number }][] = [];
  let width = 0;
  for (const tree of trees) {
    const span = Math.min(count, Math.ceil((tree.width + TREE_GAP) / step));
    let best = 0;
    let bestY = Number.POSITIVE_INFINITY;
    for (let column = 0; column + span <= count; column++) {
      const top = Math.max(...heights.slice(column, column + span));
      if (top < bestY) [best, bestY] = [column, top];
    }
    places.push([tree, { x: best * step, y: bestY }]);
    heights.fill(bestY + tree.height + TREE_GAP, best, best + span);
    width = Math.max(width, best * step + tree.width);
  }
  return { places, width, height: Math.max(0, ...heights) - TREE_GAP };
}

/** A part of the plane that a layout is in. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface DrawnAt {
  readonly shape: Shape;
  /** The square of a block. */
  readonly index: number;
}

const places = new WeakMap<Layout, ReadonlyMap<string, DrawnAt>>();

/** Returns where a node is drawn, if it is. */
export function regionOf(layout: Layout, uid: string): Region | undefined {
  const place = placesOf(layout).get(uid);
  if (place === undefined) return undefined;
  const { shape, index } = place;
  if (shape.type === 'card') {
    return { left: shape.x, top: shape.y, right: shape.x + shape.width, bottom: shape.y + shape.height };
  }
  const left = shape.x + (index % shape.columns) * SQUARE + 1;
  const top = shape.y + CAPTION + Math.floor(index / shape.columns) * SQUARE;
  return { left, top, right: left + SQUARE - 4, bottom: top + SQUARE - 4 };
}

function placesOf(layout: Layout): ReadonlyMap<string, DrawnAt> {
  const known = places.get(layout);
  if (known !== undefined) return known;
  const found = new Map<string, DrawnAt>();
  for (const shape of layout.shapes) {
    if (shape.type === 'card') found.set(shape.uid, { shape, index: 0 });
    else for (const [index, uid] of shape.uids.entries()) found.set(uid, { shape, index });
  }
  places.set(layout, found);
  return found;
}

/** Returns the node at a point. */
export function uidAt({ shapes }: Layout, x: number, y: number): string | undefined {
  for (const shape of shapes) {
    if (x < shape.x || y < shape.y || x > shape.x + shape.width || y > shape.y + shape.height) continue;
    if (shape.type === 'card') return shape.uid;
    const row = Math.floor((y - shape.y - CAPTION) / SQUARE);
    const column = Math.floor((x - shape.x) / SQUARE);
    return row < 0 || column >= shape.columns ? undefined : shape.uids[row * shape.columns + column];
  }
  return undefined;
}

export function overlap(a: Region, b: Region): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

function byKind(nodes: readonly Placed[]): Placed[][] {
  const groups = new Map<string, Placed[]>();
  for (const node of nodes) {
    const id = `${node.kind.group}/${node.kind.resource}`;
    const known = groups.get(id);
    if (known === undefined) groups.set(id, [node]);
    else known.push(node);
  }
  return [...groups.values()].sort((a, b) => (a[0]!.kind.kind < b[0]!.kind.kind ? -1 : 1));
}

function byName(a: Placed, b: Placed): number {
  return a.kind.kind === b.kind.kind ? (a.key < b.key ? -1 : 1) : a.kind.kind < b.kind.kind ? -1 : 1;
}

/** The newest last, so that what rolls out appears below what it replaces. */
function byAge(a: Placed, b: Placed): number {
  return a.createdMs - b.createdMs || byName(a, b);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
