import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { type Problem, parseYaml, rangeOf } from '../text/edited-yaml.ts';

interface Props {
  readonly text: string;
  readonly label?: string;
  /** Refusals of the server for this text. */
  readonly problems?: readonly Problem[];
  readonly onChange: (text: string) => void;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, class: 'key' },
  { tag: tags.definition(tags.propertyName), class: 'key' },
  { tag: [tags.string, tags.content], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'number' },
  { tag: tags.comment, class: 'comment' },
]);

/** Edits YAML; errors of syntax and of the server stand at their lines. */
export default function YamlEditor({ text, label = 'YAML', problems = [], onChange }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;

  useEffect(() => {
    const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
    const view = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          lintGutter(),
          yaml(),
          syntaxHighlighting(colors),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    view.focus();
    return () => view.destroy();
  }, []);

  useEffect(() => {
    const view = editor.current!;
    const source = view.state.doc.toString();
    view.dispatch(setDiagnostics(view.state, diagnosticsOf(source, problems)));
  }, [text, problems]);

  return <div ref={parent} className="yaml-editor" />;
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
