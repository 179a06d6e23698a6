/** Ends what a text may stand in. */
const BREAKOUTS = [
  '',
  '">',
  "'>",
  '-->',
  '</script>',
  '</style></title></textarea>',
  ']]>',
  '`}}',
  '" onmouseover=alert(0) x="',
  '\u202e\ufeff',
];

const CORES: readonly ((n: number) => string)[] = [
  (n) => `<script>alert(${n})</script>`,
  (n) => `<img src=x onerror=alert(${n})>`,
  (n) => `<svg onload=alert(${n})>`,
  (n) => `<svg><script>alert(${n})</script></svg>`,
  (n) => `<svg><animate onbegin=alert(${n}) attributeName=x dur=1s>`,
  (n) => `<iframe srcdoc="<script>parent.alert(${n})</script>">`,
  (n) => `<iframe src=javascript:alert(${n})>`,
  (n) => `<a href=javascript:alert(${n}) autofocus onfocus=alert(${n})>x</a>`,
  (n) => `<details open ontoggle=alert(${n})>`,
  (n) => `<input autofocus onfocus=alert(${n})>`,
  (n) => `<video><source onerror=alert(${n})>`,
  (n) => `<object data=javascript:alert(${n})>`,
  (n) => `<math><mtext><style><img src=x onerror=alert(${n})></style>`,
  (n) => `<form action=javascript:alert(${n})><button autofocus>`,
  (n) => `<meta http-equiv=refresh content="0;url=javascript:alert(${n})">`,
  (n) => `<base href=https://evil.example/${n}>`,
  (n) => `<link rel=stylesheet href=https://evil.example/${n}.css>`,
  (n) => `<style>@import'https://evil.example/${n}.css'</style>`,
  (n) => `javascript:alert(${n})`,
  (n) => `<template shadowrootmode=open><img src=x onerror=alert(${n})></template>`,
];

/** Texts that open a dialog, or load something from elsewhere, on a page that takes them for markup or for an address. */
export const PAYLOADS: readonly string[] = BREAKOUTS.flatMap((breakout, index) =>
  CORES.map((core, each) => breakout + core(index * CORES.length + each)),
);

/** Elements that a payload would make, and the page has none of. */
export const MADE_BY_PAYLOADS = [
  ...['iframe', 'object', 'embed', 'base', 'video', 'math', 'form[action]', 'body script', 'body style', 'body link'],
  ...['img', 'svg animate', 'svg script', 'meta[http-equiv]', '[href^="javascript:" i]', '[src^="javascript:" i]'],
  ...['[onerror]', '[onload]', '[onfocus]', '[onbegin]', '[ontoggle]', '[onmouseover]', '[srcdoc]'],
].join(', ');
