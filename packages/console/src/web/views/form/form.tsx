import '../../styles/form.css';
import { createContext, type ReactNode, useContext, useId, useMemo, useState } from 'react';
import type { Json } from '../../api/objects.ts';
import { record } from '../../api/objects.ts';
import type { FieldSchema } from '../../api/schemas.ts';
import type { FieldPath, Problem } from '../../text/edited-yaml.ts';
import { Control, initialOf, isScalarType, Raw } from './control.tsx';

interface FormProps {
  readonly value: Readonly<Record<string, unknown>>;
  readonly schema: FieldSchema;
  /** True for an object that is not on the server yet. */
  readonly isNew: boolean;
  readonly problems: readonly Problem[];
  readonly onEdit: (path: FieldPath, value: Json | undefined) => void;
}

interface FormState extends Pick<FormProps, 'onEdit'> {
  /** Returns the refusals of exactly this field. */
  problemsAt(path: FieldPath): readonly Problem[];
}

const FormContext = createContext<FormState>({ onEdit: () => {}, problemsAt: () => [] });

/** Fields that the server fills in, or that name the kind. */
const SERVER_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
  'generateName',
]);
const IDENTITY: ReadonlySet<string> = new Set(['name', 'namespace']);
/** Objects with at most so many properties show all of them; larger ones show those that are set. */
const MAX_SHOWN = 9;

/** A form for any kind, made from its schema. */
export function Form({ value, schema, isNew, problems, onEdit }: FormProps) {
  const state = useMemo((): FormState => {
    const byPath = groupProblems(problems, value);
    return { onEdit, problemsAt: (path) => byPath.get(JSON.stringify(path)) ?? [] };
  }, [problems, value, onEdit]);
  const isHidden = (path: FieldPath): boolean => {
    const [first, second] = path;
    if (path.length === 1) return SERVER_FIELDS.has(String(first));
    if (first !== 'metadata' || path.length !== 2) return false;
    return SERVER_METADATA.has(String(second)) || (!isNew && IDENTITY.has(String(second)));
  };
  return (
    <FormContext.Provider value={state}>
      <form className="form" onSubmit={(event) => event.preventDefault()}>
        {schema.description !== '' && <p className="kind-description">{schema.description}</p>}
        <Properties schema={schema} value={value} path={[]} isHidden={isHidden} />
      </form>
    </FormContext.Provider>
  );
}

/** Puts each refusal at the field that it names, or at the nearest field around it that has a value. */
function groupProblems(problems: readonly Problem[], value: unknown): Map<string, Problem[]> {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    let length = problem.path.length;
    while (length > 1 && valueAt(value, problem.path.slice(0, length - 1)) === undefined) length--;
    const key = JSON.stringify(problem.path.slice(0, length));
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return groups;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  let found = value;
  for (const part of path) {
    found = typeof part === 'number' ? (Array.isArray(found) ? found[part] : undefined) : own(found, part);
  }
  return found;
}

function own(value: unknown, name: string): unknown {
  const fields = record(value);
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

interface PropertiesProps {
  readonly schema: FieldSchema;
  readonly value: unknown;
  readonly path: FieldPath;
  readonly isHidden?: (path: FieldPath) => boolean;
}

/** The properties of an object: those that are set or required, and a menu with the others. */
function Properties({ schema, value, path, isHidden = () => false }: PropertiesProps) {
  const { onEdit, problemsAt } = useContext(FormContext);
  const { properties, required } = schema;
  const names = [...properties.keys()].filter((name) => !isHidden([...path, name]));
  const isSmall = names.length <= MAX_SHOWN;
  const isShown = (name: string): boolean =>
    isSmall || required.has(name) || own(value, name) !== undefined || problemsAt([...path, name]).length > 0;
  const unknown = Object.keys(record(value) ?? {}).filter(
    (name) => !properties.has(name) && !isHidden([...path, name]),
  );
  const shown = names.filter(isShown).sort((a, b) => rankOf(a, required) - rankOf(b, required));
  const others = names.filter((name) => !isShown(name));
  return (
    <div className="properties">
      {shown.map((name) => (
        <Field
          key={name}
          name={name}
          schema={properties.get(name)!}
          value={own(value, name)}
          path={[...path, name]}
          isRequired={required.has(name)}
          isHidden={isHidden}
        />
      ))}
      {unknown.map((name) => (
        <Labelled
          key={name}
          name={name}
          hint="not in the schema"
          path={[...path, name]}
          onRemove={() => onEdit([...path, name], undefined)}
        >
          {(ids) => (
            <Raw
              {...ids}
              value={own(value, name) as Json}
              onChange={(next) => onEdit([...path, name], next)}
              label={name}
            />
          )}
        </Labelled>
      ))}
      {others.length > 0 && (
        <AddField
          schema={schema}
          names={others}
          onAdd={(name) => onEdit([...path, name], initialOf(properties.get(name)!))}
        />
      )}
    </div>
  );
}

/** Names come first, then required fields, then metadata before the rest, as in written manifests. */
function rankOf(name: string, required: ReadonlySet<string>): number {
  if (name === 'name') return 0;
  if (name === 'metadata') return 1;
  return required.has(name) ? 2 : 3;
}

interface FieldProps extends PropertiesProps {
  readonly name: string;
  readonly isRequired?: boolean;
  readonly onRemove?: () => void;
}

function Field({ name, schema, value, path, isRequired = false, isHidden, onRemove }: FieldProps): ReactNode {
  const { onEdit } = useContext(FormContext);
  const { type } = schema;
  const isSet = value !== undefined;
  const remove = onRemove ?? (isSet && !isRequired ? () => onEdit(path, undefined) : undefined);
  const labelled = { name, schema, path, isRequired, ...(remove && { onRemove: remove }) };
  if (isScalarType(type)) {
    return (
      <Labelled {...labelled}>
        {(ids) => (
          <Control
            {...ids}
            schema={schema}
            value={value as Json}
            label={name}
            onChange={(next) => onEdit(path, next)}
          />
        )}
      </Labelled>
    );
  }
  if (!isSet) {
    return (
      <Labelled {...labelled}>
        {(ids) => (
          <button
            {...ids}
            type="button"
            className="set"
            aria-label={`Set ${name}`}
            onClick={() => onEdit(path, initialOf(schema))}
          >
            Set
          </button>
        )}
      </Labelled>
    );
  }
  if (type === 'array' && Array.isArray(value)) return <Items {...labelled} schema={schema} items={value} />;
  if (type === 'map' && record(value)) return <Entries {...labelled} schema={schema} value={record(value)!} />;
  if (type === 'object' && record(value)) {
    return (
      <Section {...labelled}>
        <Properties schema={schema} value={value} path={path} {...(isHidden && { isHidden })} />
      </Section>
    );
  }
  return (
    <Labelled {...labelled}>
      {(ids) => <Raw {...ids} value={value as Json} label={name} onChange={(next) => onEdit(path, next)} />}
    </Labelled>
  );
}

function Items({ schema, items, ...labelled }: LabelledProps & { schema: FieldSchema; items: readonly unknown[] }) {
  const { onEdit } = useContext(FormContext);
  const { path, name } = labelled;
  const of = schema.items;
  return (
    <Section {...labelled} schema={schema}>
      {items.map((item, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its index.
          key={index}
          name={titleOf(item, name, index)}
          schema={of}
          value={item}
          path={[...path, index]}
          onRemove={() => onEdit([...path, index], undefined)}
        />
      ))}
      <button
        type="button"
        className="add"
        aria-label={`Add an item to ${name}`}
        onClick={() => onEdit([...path, items.length], initialOf(of))}
      >
        Add an item
      </button>
    </Section>
  );
}

/** Items are called by their own name where they have one. */
function titleOf(item: unknown, name: string, index: number): string {
  const own = record(item)?.name;
  return typeof own === 'string' && own !== '' ? `${name} ${index + 1}: ${own}` : `${name} ${index + 1}`;
}

function Entries({
  schema,
  value,
  ...labelled
}: LabelledProps & { schema: FieldSchema; value: Readonly<Record<string, unknown>> }) {
  const { onEdit } = useContext(FormContext);
  const [key, setKey] = useState('');
  const { path, name } = labelled;
  const of = schema.entries;
  const add = (): void => {
    if (key === '' || Object.hasOwn(value, key)) return;
    onEdit([...path, key], initialOf(of));
    setKey('');
  };
  return (
    <Section {...labelled} schema={schema}>
      {Object.entries(value).map(([each, below]) => (
        <Field
          key={each}
          name={each}
          schema={of}
          value={below}
          path={[...path, each]}
          onRemove={() => onEdit([...path, each], undefined)}
        />
      ))}
      <div className="add-entry">
        <input
          aria-label={`Key of a new entry of ${name}`}
          placeholder="key"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <button type="button" className="add" disabled={key === ''} onClick={add}>
          Add an entry
        </button>
      </div>
    </Section>
  );
}

interface LabelledProps {
  readonly name: string;
  readonly schema?: FieldSchema;
  readonly path: FieldPath;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly onRemove?: () => void;
}

export interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/** A label, a control, the description of the field and what the server says about it. */
function Labelled({
  name,
  schema,
  path,
  hint,
  isRequired,
  onRemove,
  children,
}: LabelledProps & { children: (ids: ControlIds) => ReactNode }) {
  const id = useId();
  const problems = useContext(FormContext).problemsAt(path);
  const ids = { id, 'aria-describedby': `${id}-about`, 'aria-invalid': problems.length > 0 };
  return (
    <div className={`field ${problems.length > 0 ? 'refused' : ''}`} data-field={path.join('.')}>
      <div className="field-head">
        <label htmlFor={id}>{name}</label>
        {isRequired && <small className="required">required</small>}
        <small>{hint ?? hintOf(schema)}</small>
        {onRemove && <RemoveButton name={name} onRemove={onRemove} />}
      </div>
      {children(ids)}
      <div id={`${id}-about`}>
        <Problems problems={problems} />
        {schema && schema.description !== '' && <p className="about">{schema.description}</p>}
      </div>
    </div>
  );
}

function Section({ name, schema, path, isRequired, onRemove, children }: LabelledProps & { children: ReactNode }) {
  const problems = useContext(FormContext).problemsAt(path);
  return (
    <fieldset className={`section ${problems.length > 0 ? 'refused' : ''}`} data-field={path.join('.')}>
      <legend>
        {name}
        {isRequired && <small className="required">required</small>}
        {onRemove && <RemoveButton name={name} onRemove={onRemove} />}
      </legend>
      <Problems problems={problems} />
      {schema && schema.description !== '' && <p className="about">{schema.description}</p>}
      {children}
    </fieldset>
  );
}

function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button type="button" className="remove" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d="M3 3l6 6M9 3l-6 6" />
      </svg>
    </button>
  );
}

function Problems({ problems }: { problems: readonly Problem[] }) {
  return problems.map(({ field, message }) => (
    <p key={`${field} ${message}`} className="problem" role="alert">
      {message}
    </p>
  ));
}

function hintOf(schema: FieldSchema | undefined): string {
  if (schema === undefined) return '';
  const { type, format, limits, default: preset } = schema;
  const shown = type === 'any' ? 'any value' : type === 'int-or-string' ? 'number or text' : type;
  const parts = [
    shown,
    format !== '' && format !== 'int-or-string' && !/^int\d+$/.test(format) ? format : '',
    limits,
    preset !== undefined && typeof preset !== 'object' ? `default ${preset}` : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

const FILTER_FROM = 8;

/** Offers the properties that are not set, with their descriptions. */
function AddField({
  schema,
  names,
  onAdd,
}: {
  schema: FieldSchema;
  names: readonly string[];
  onAdd: (name: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  return (
    <div className="add-field">
      <button type="button" className="add" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Add a field <small>{names.length}</small>
      </button>
      {isOpen && (
        <div className="choices">
          {names.length > FILTER_FROM && (
            <input
              type="search"
              aria-label="Filter fields"
              placeholder="Filter fields"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          )}
          <ul>
            {found.map((name) => (
              <li key={name}>
                <button
                  type="button"
                  onClick={() => {
                    setOpen(false);
                    setFilter('');
                    onAdd(name);
                  }}
                >
                  <b>{name}</b>
                  <span>{schema.properties.get(name)!.description}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
