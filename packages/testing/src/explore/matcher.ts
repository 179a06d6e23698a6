import type { Report } from './report/report.ts';
import { reportText } from './report/text.ts';

declare global {
  // vitest reads matchers from jest's namespace as well.
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: The default must be that of the other declarations.
    interface Matchers<R, T = {}> {
      /** Passes when an exploration has no findings; the message is its report. */
      toHaveNoFindings(): R;
    }
  }
}

/** Globals with the `expect` of vitest, and of jest with `injectGlobals`. */
const EXPECTS = [Symbol.for('expect-global'), 'expect'] as const;

interface Expect {
  extend?(matchers: object): void;
}

/** Passes when an exploration has no findings: for `expect.extend({ toHaveNoFindings })`. */
export function toHaveNoFindings(report: Report): { readonly pass: boolean; readonly message: () => string } {
  return { pass: report.findings.length === 0, message: () => reportText(report) };
}

/** Throws the report when an exploration has findings: for test runners without `expect`. */
export function assertNoFindings(report: Report): void {
  if (report.findings.length > 0) throw new Error(reportText(report));
}

/** Adds the matcher to the `expect` of the test runner, if there is one. */
export function addMatcher(): void {
  const globals = globalThis as unknown as Record<string | symbol, Expect | undefined>;
  for (const name of EXPECTS) globals[name]?.extend?.({ toHaveNoFindings });
}
