import { yaml } from '@codemirror/lang-yaml';
import type { Diagnostic } from '@codemirror/lint';
import { useCallback } from 'react';
import { type Problem, parseYaml, rangeOf } from '../text/edited-yaml.ts';
import { CodeEditor } from './code-editor.tsx';

interface Props {
  readonly text: string;
  readonly label?: string;
  /** Refusals of the server for this text. */
  readonly problems?: readonly Problem[];
  readonly isFocused?: boolean;
  readonly onChange: (text: string) => void;
}

const LANGUAGE = yaml();
const NONE: readonly Problem[] = [];

/** Edits YAML; errors of syntax and of the server stand at their lines. */
export default function YamlEditor({ text, label = 'YAML', problems = NONE, isFocused = true, onChange }: Props) {
  const diagnostics = useCallback((source: string) => diagnosticsOf(source, problems), [problems]);
  return (
    <CodeEditor
      text={text}
      label={label}
      language={LANGUAGE}
      diagnostics={diagnostics}
      isFocused={isFocused}
      onChange={onChange}
    />
  );
}

function diagnosticsOf(source: string, problems: readonly Problem[]): Diagnostic[] {
  const document = parseYaml(source);
  if (document.errors.length > 0) {
    return document.errors.map(({ pos: [from, to], message }) => ({
      from,
      to: Math.max(from, to),
      severity: 'error',
      message: message.split('\n')[0]!,
    }));
  }
  return problems.map(({ path, field, message }) => {
    const [from, to] = rangeOf(path, document, source);
    return { from, to, severity: 'error', message: `${field}: ${message}` };
  });
}
