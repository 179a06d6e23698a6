import { describeFault } from '../model/plan.ts';
import { xml } from './junit.ts';
import type { Report } from './report.ts';
import { untriedLines } from './text.ts';
import { TIMELINE_LEGEND, TIMELINE_STYLE, timelineSvg } from './timeline-svg.ts';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:.95rem;margin:.8rem 0 0}ol.story{list-style:none;padding:0;border-left:3px solid #ccc}
ol.story li{padding:.1rem .8rem;font-family:ui-monospace,monospace;font-size:.85rem;white-space:pre-wrap}
li.fault{border-left:3px solid #c62828;margin-left:-3px}li.end{border-left:3px solid #1565c0;margin-left:-3px;font-weight:600}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ddd}
pre{background:#f5f5f5;padding:.6rem;overflow:auto;font-size:.8rem}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}pre{background:#222}td,th{border-color:#333}}`;

/** Returns the report as a page that loads nothing. */
export function reportHtml(report: Report, { title = 'Exploring faults' }: { readonly title?: string } = {}): string {
  const { findings, plans, cutShort, inconclusive, elapsedMs, seed, coverage, notes } = report;
  const rows = Object.entries(coverage.faults).map(
    ([kind, count]) => `<tr><td>${xml(kind)}</td><td>${count}</td></tr>`,
  );
  const remarks = [
    ...notes,
    ...untriedLines(report),
    ...coverage.idleRests.map((rest) => `The operator wrote nothing before rest ${rest}.`),
    ...coverage.unusedKinds.map((kind) => `The operator watches ${kind}, and the scenario changes none.`),
  ];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `<title>${xml(title)}</title><style>${STYLE}\n${TIMELINE_STYLE}</style></head><body>`,
    `<h1>${xml(title)}: ${findings.length === 0 ? 'no findings' : `${findings.length} found`}</h1>`,
    `<p>${plans} plans in ${(elapsedMs / 1_000).toFixed(1)} s, seed ${xml(String(seed))}; ${cutShort} ended early in a known state, ${inconclusive} had a scenario that failed because of the fault.</p>`,
    ...findings.map(findingHtml),
    `<h2>Coverage</h2><p>${coverage.writes} writes of the operator without faults.</p>`,
    `<table><tr><th>fault</th><th>plans</th></tr>${rows.join('')}</table>`,
    remarks.length === 0 ? '' : `<ul>${remarks.map((remark) => `<li>${xml(remark)}</li>`).join('')}</ul>`,
    '</body></html>\n',
  ].join('\n');
}

function findingHtml({
  rule,
  summary,
  story,
  pattern,
  cure,
  plan,
  plans,
  timelines,
}: Report['findings'][number]): string {
  const lines = story.map((line) => `<li class="${classOf(line)}">${xml(line)}</li>`);
  const faults = plan.faults.map((fault) => `<li>${xml(describeFault(fault))}</li>`);
  return [
    `<h2>${xml(summary)}</h2><p>Rule <b>${xml(rule)}</b>, found by ${plans} of the plans.</p>`,
    faults.length === 0 ? '<p>Without any fault.</p>' : `<ul>${faults.join('')}</ul>`,
    `<ol class="story">${lines.join('')}</ol>`,
    `<h3>With the fault</h3>${timelineSvg(timelines.withFaults)}<h3>Without</h3>${timelineSvg(timelines.withoutFaults)}`,
    TIMELINE_LEGEND,
    `<p>${xml(pattern)}</p><p>${xml(cure)}</p>`,
    `<details><summary>Plan</summary><pre>${xml(JSON.stringify(plan, undefined, 2))}</pre></details>`,
  ].join('\n');
}

function classOf(line: string): string {
  return /^\s*\d+:\d\d !/.test(line) ? 'fault' : line.trimStart().startsWith('→') ? 'end' : 'step';
}
