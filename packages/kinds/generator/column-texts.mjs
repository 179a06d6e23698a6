import { refOf } from './api.mjs';
import { quote } from './schema-tables.mjs';

/** Key of the columns that every kind has. */
const ANY_KIND = '*';

/**
 * Makes the descriptions of columns of `kubectl get`: the first sentence of the description of a column's field.
 *
 * @param {Record<string, Record<string, string>>} columns paths of fields, by `group/version/Kind` and column
 */
export function generateColumnTexts(api, descriptions, columns) {
  const names = new Map([...api.homes].map(([name, { file, type }]) => [`${file}/${type}`, name]));
  const lines = Object.entries(columns).map(([key, paths]) => {
    const name = names.get(key);
    if (name === undefined) throw new Error(`Cannot describe the columns of ${key}: there is no such type`);
    const texts = Object.entries(paths).map(([column, path]) => [column, textOf(api, descriptions, name, path)]);
    const [gvk] = api.schemas[name]['x-kubernetes-group-version-kind'] ?? [];
    const kind = gvk === undefined ? ANY_KIND : `${gvk.group}/${gvk.kind}`;
    return `  '${kind}': ${quote(JSON.stringify(Object.fromEntries(texts)))},\n`;
  });
  const comment =
    '/** By group and kind, `*` for all of them, as JSON: what the columns of `kubectl get` show, by their names. */';
  const imports = "import { table } from '@pintle/machinery/table';\n\n";
  const head = 'export const columnTexts: Readonly<Record<string, string>> = table({';
  return new Map([['column-texts.ts', `${imports}${comment}\n${head}\n${lines.join('')}});\n`]]);
}

function textOf(api, descriptions, name, path) {
  const [field, ...rest] = path.split('.');
  const schema = api.schemas[name]?.properties?.[field];
  if (schema === undefined) throw new Error(`Cannot describe a column: ${name} has no ${field}`);
  if (rest.length > 0) return textOf(api, descriptions, refOf(schema.items ?? schema), rest.join('.'));
  return descriptions.typeOf(name).fields[field].text.split(/(?<=\.) (?=[A-Z`0-9])/)[0];
}
