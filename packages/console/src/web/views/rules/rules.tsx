import '../../styles/rules.css';
import type { Diagnostic } from '@codemirror/lint';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { ApiError, api } from '../../api/http.ts';
import { type Kind, kindId, pathOf } from '../../api/kinds.ts';
import { type Json, jsonOf, objectIn } from '../../api/objects.ts';
import { catalog } from '../../live/catalog.ts';
import { Empty } from '../../parts/small.tsx';
import { adjust, usePlace } from '../../state/router.ts';
import { useStore } from '../../state/store.ts';
import {
  type KnownRule,
  placesIn,
  placeText,
  readObject,
  rulesIn,
  type SchemaPath,
  schemaAt,
  valuesAt,
} from '../../text/rule-places.ts';
import { type RuleIssue, type TriedRule, triedRule } from '../../text/tried-rule.ts';
import { count } from '../../text/words.ts';
import { yamlText } from '../../text/yaml-lines.ts';
import { CodeEditor } from '../code-editor.tsx';
import YamlEditor from '../yaml-editor.tsx';
import { useDefinedSchema } from './definition.ts';

/** Limits of Kubernetes: of one evaluation, and of one rule for the largest object of its schema. */
const CALL_LIMIT = 1_000_000;
const RULE_LIMIT = 10_000_000;
const EXAMPLE = 'self.spec.replicas <= 5';
const EXAMPLE_OBJECT = 'spec:\n  replicas: 3\n';
/** Longer expressions are not kept in the address. */
const MAX_KEPT = 1500;

/** A place to try CEL rules on an object: result, cost, and errors where they are. */
export default function RulesView() {
  const { query } = usePlace();
  const { byId } = useStore(catalog);
  const kind = byId.get(query.kind ?? '');
  const schema = useDefinedSchema(kind);
  const [source, setSource] = useState(query.rule ?? EXAMPLE);
  const [object, setObject] = useState(EXAMPLE_OBJECT);
  const [before, setBefore] = useState('');
  // Editors begin anew with what was chosen or loaded; what is typed is never replaced.
  const [chosen, setChosen] = useState(0);
  const [loaded, setLoaded] = useState(0);
  const load = (text: string): void => {
    setObject(text);
    setLoaded((before) => before + 1);
  };
  const problem = useObject(kind, query.ns ?? '', query.name ?? '', load);
  const place = useMemo((): SchemaPath => (query.place ? query.place.split('.') : []), [query.place]);
  const tried = useTried({ source, object, before, schema: schema ?? undefined, place });
  const edit = (text: string): void => {
    setSource(text);
    adjust({ rule: text.length <= MAX_KEPT ? text : undefined });
  };
  const choose = (rule: KnownRule): void => {
    setSource(rule.rule);
    setChosen(chosen + 1);
    adjust({ rule: rule.rule, place: rule.place.join('.') });
  };
  const issues = typeof tried === 'string' ? NO_ISSUES : tried.issues;
  const diagnostics = useCallback((text: string) => diagnosticsOf(text, issues), [issues]);
  return (
    <section className="pane rules">
      <header>
        <h1>Rules</h1>
        <span className="muted">CEL, with the server’s own code</span>
        <span className="spring" />
        <KindChoice kind={kind} />
        {schema && <PlaceChoice schema={schema} place={place} />}
      </header>
      <div className="rules-split">
        <div className="rule">
          <h2>Expression</h2>
          <CodeEditor
            key={chosen}
            text={source}
            label="Expression"
            diagnostics={diagnostics}
            isFocused
            onChange={edit}
          />
          <Outcome tried={tried} hasSchema={schema !== null && schema !== undefined} />
          {schema && <KnownRules rules={rulesIn(schema)} onChoose={choose} />}
        </div>
        <div className="subject">
          <h2>
            self<small>the object{place.length > 0 && `, of which ${placeText(place)}`}</small>
          </h2>
          {problem && <p className="problem">{problem}</p>}
          <YamlEditor key={loaded} text={object} label="Object" isFocused={false} onChange={setObject} />
          <details open={before !== ''}>
            <summary>
              oldSelf<small> the object before an update</small>
            </summary>
            <YamlEditor text={before} label="Object before" isFocused={false} onChange={setBefore} />
          </details>
        </div>
      </div>
    </section>
  );
}

const NO_ISSUES: readonly RuleIssue[] = [];

/** Loads the object that the address names. Returns why it cannot. */
function useObject(kind: Kind | undefined, namespace: string, name: string, onText: (text: string) => void) {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (kind === undefined || name === '') return;
    const ended = new AbortController();
    api(pathOf(kind, namespace, name), { signal: ended.signal })
      .then((body) => {
        const { metadata, ...rest } = objectIn(body);
        const { managedFields: _left, ...shown } = metadata;
        setProblem(undefined);
        onText(yamlText(jsonOf({ ...rest, metadata: shown })));
      })
      .catch((error: unknown) => {
        if (!ended.signal.aborted) setProblem(error instanceof ApiError ? error.message : String(error));
      });
    return () => ended.abort();
  }, [kind, namespace, name]);
  return problem;
}

interface Trying {
  readonly source: string;
  readonly object: string;
  readonly before: string;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly place: SchemaPath;
}

/** Returns the results of the rule; a text says why it was not tried. */
function useTried({ source, object, before, schema, place }: Trying): TriedRule | string {
  const texts = useDeferredValue(JSON.stringify([source, object, before]));
  return useMemo(() => {
    const read = readObject(object);
    if (typeof read === 'string') return `The object is not valid: ${read}`;
    const old = before.trim() === '' ? undefined : readObject(before);
    if (typeof old === 'string') return `The object before is not valid: ${old}`;
    const at = schema && schemaAt(schema, place);
    const values = valuesAt(read.value, old?.value, place);
    return triedRule({ source, schema: at as Json | undefined, isRoot: place.length === 0, values });
  }, [texts, schema, place]);
}

function diagnosticsOf(source: string, issues: readonly RuleIssue[]): Diagnostic[] {
  const lines = source.split('\n');
  return issues.map(({ line, column, message }) => {
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    // Columns count characters, positions units of UTF-16.
    const from = start + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
    return { from: Math.min(from, source.length), to: Math.min(from + 1, source.length), severity: 'error', message };
  });
}

function Outcome({ tried, hasSchema }: { tried: TriedRule | string; hasSchema: boolean }) {
  if (typeof tried === 'string') return <p className="problem outcome">{tried}</p>;
  const { issues, type, maxCost, outcomes } = tried;
  if (issues.length > 0) {
    return (
      <ul className="outcome problem" role="alert">
        {issues.map(({ line, column, message }) => (
          <li key={`${line}:${column} ${message}`}>
            {line}:{column} {message}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div className="outcome" role="status">
      {type !== 'bool' && (
        <p className="muted">
          A rule must be a <code>bool</code>; this is a <code>{type}</code>.
        </p>
      )}
      {outcomes.length === 0 && <Empty title="The object has no value there">The rule would not run.</Empty>}
      <ul aria-label="Results">
        {outcomes.map(({ path, state, text, cost }) => (
          <li key={path} className={state}>
            <b>{state === 'true' ? 'holds' : state === 'false' ? 'fails' : state}</b>
            {path !== '' && <code>{path}</code>}
            {state !== 'true' && state !== 'false' && <span>{text}</span>}
            <small>cost {count(cost)}</small>
          </li>
        ))}
      </ul>
      <p className="muted">
        One evaluation may cost {count(CALL_LIMIT)}.{' '}
        {maxCost === undefined
          ? `${hasSchema ? 'This place' : 'Without the definition of a kind, self'} has no types: names of fields are not checked.`
          : `By the schema, it costs at most ${count(maxCost)}; the server accepts ${count(RULE_LIMIT)}${maxCost > RULE_LIMIT ? ', and would refuse this rule' : ''}.`}
      </p>
    </div>
  );
}

function KindChoice({ kind }: { kind: Kind | undefined }) {
  const { kinds } = useStore(catalog);
  return (
    <label>
      Kind{' '}
      <select
        value={kind === undefined ? '' : kindId(kind)}
        onChange={(event) => adjust({ kind: event.target.value, place: undefined, name: undefined })}
      >
        <option value="">any</option>
        {kinds.map((each) => (
          <option key={kindId(each)} value={kindId(each)}>
            {kindId(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function PlaceChoice({ schema, place }: { schema: Readonly<Record<string, unknown>>; place: SchemaPath }) {
  return (
    <label>
      self is{' '}
      <select value={place.join('.')} onChange={(event) => adjust({ place: event.target.value })}>
        {placesIn(schema).map((each) => (
          <option key={each.join('.')} value={each.join('.')}>
            {placeText(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function KnownRules({ rules, onChoose }: { rules: readonly KnownRule[]; onChoose: (rule: KnownRule) => void }) {
  if (rules.length === 0) return null;
  return (
    <section className="known-rules">
      <h2>Rules of this kind</h2>
      <ul>
        {rules.map((each) => (
          <li key={`${each.place.join('.')} ${each.rule}`}>
            <button type="button" onClick={() => onChoose(each)}>
              <code>{each.rule}</code>
              <small>
                {placeText(each.place)}
                {each.message !== '' && `: ${each.message}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
