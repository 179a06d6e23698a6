import { table } from '@pintle/machinery/table';
import type { Report } from './report.ts';
import { findingLines } from './text.ts';

/** Returns the report in the format of JUnit: one case that passes, or a failed one for each finding. */
export function reportJunit(report: Report, { name = 'explore' }: { readonly name?: string } = {}): string {
  const { findings, plans, elapsedMs } = report;
  const cases = findings.map((finding, index) => {
    const text = findingLines(finding, index + 1).join('\n');
    const failure = `<failure type="${xml(finding.rule)}" message="${xml(finding.summary)}">${xml(text)}</failure>`;
    return `  <testcase classname="${xml(name)}" name="${xml(finding.plan.finding)}">${failure}</testcase>`;
  });
  const passed = `  <testcase classname="${xml(name)}" name="${plans} plans" time="${elapsedMs / 1_000}"/>`;
  const count = Math.max(1, findings.length);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(name)}" tests="${count}" failures="${findings.length}" time="${elapsedMs / 1_000}">`,
    ...(cases.length === 0 ? [passed] : cases),
    '</testsuite>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = table({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});

/** Escapes text for XML and HTML, and removes control characters. */
export function xml(text: string): string {
  return [...text]
    .filter((each) => each >= ' ' || each === '\n' || each === '\t')
    .map((each) => ENTITIES[each] ?? each)
    .join('');
}
