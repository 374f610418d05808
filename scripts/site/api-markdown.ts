import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type Comment, type ExportNamedDeclaration, type Statement } from 'oxc-parser';

const OWN_PACKAGES: Readonly<Record<string, string>> = {
  '@synapse/protocol': fileURLToPath(new URL('../../packages/protocol/src/index.ts', import.meta.url)),
};

/** An exported name with what its page shows. */
export interface ApiEntry {
  readonly name: string;
  readonly kind: 'function' | 'constant' | 'class' | 'type';
  /** Text of its JSDoc, without marks. */
  readonly text: string;
  readonly examples: readonly string[];
  /** The declaration without the bodies of functions. */
  readonly signature: string;
}

interface Module {
  readonly source: string;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

function parse(file: string): Module {
  const source = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? 'cannot be parsed'}`);
  return { source, body: program.body, comments };
}

const KINDS: Readonly<Record<string, ApiEntry['kind']>> = {
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  VariableDeclaration: 'constant',
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'type',
  TSTypeAliasDeclaration: 'type',
};

/** Returns the JSDoc that ends where a declaration starts. */
function docOf({ source, comments }: Module, start: number): string {
  const doc = comments.findLast(
    ({ type, end, value }) => type === 'Block' && value.startsWith('*') && end <= start && source.slice(end, start).trim() === '',
  );
  return (doc?.value ?? '').replaceAll(/^\s*\* ?/gmu, '').trim();
}

/** Splits a JSDoc into its text and its examples. */
export function splitDoc(doc: string): { readonly text: string; readonly examples: readonly string[] } {
  const [text = '', ...parts] = doc.split(/^@example\s*/mu);
  const examples = parts.map((part) => (part.split(/^@(?!\/)[a-z]+/mu)[0] ?? '').trim());
  return {
    text: text
      .replaceAll(/\{@link ([^}]+)\}/gu, '`$1`')
      .replaceAll(/^@(\w+)\s+/gmu, '*$1:* ')
      .trim(),
    examples,
  };
}

/** Returns the text of a declaration up to the body of a function, or all of it. */
function signatureOf({ source }: Module, { declaration, start }: ExportNamedDeclaration): string {
  if (declaration === null) return '';
  const inner = declaration.type === 'VariableDeclaration' ? declaration.declarations[0]?.init : declaration;
  const body =
    inner !== null && inner !== undefined && 'body' in inner && inner.body !== null && !inner.type.startsWith('TS') ? inner.body : undefined;
  const end = body === undefined || Array.isArray(body) ? declaration.end : body.start;
  return source
    .slice(start, end)
    .replace(/^export /u, '')
    .replace(/=>\s*$/u, '')
    .trim();
}

function declared(declaration: NonNullable<ExportNamedDeclaration['declaration']>): readonly string[] {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id !== null && 'name' in declaration.id ? [declaration.id.name] : [];
}

/** Finds the declaration of an exported name; undefined if another package declares it. */
function find(file: string, name: string): ApiEntry | undefined {
  const module = parse(file);
  for (const statement of module.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    if (statement.declaration !== null && declared(statement.declaration).includes(name)) {
      const kind = KINDS[statement.declaration.type];
      return kind === undefined ? undefined : { name, kind, ...splitDoc(docOf(module, statement.start)), signature: signatureOf(module, statement) };
    }
    const again = statement.specifiers.find(({ exported }) => 'name' in exported && exported.name === name);
    const from = statement.source?.value;
    if (again === undefined || from === undefined) continue;
    const target = from.startsWith('.') ? join(dirname(file), from) : OWN_PACKAGES[from];
    return target === undefined ? undefined : find(target, 'name' in again.local ? again.local.name : name);
  }
  return undefined;
}

/** Reads the exported names of an entry of a package. */
export function readApi(file: string): readonly ApiEntry[] {
  const names = parse(file).body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (statement.declaration !== null) return declared(statement.declaration);
    return statement.specifiers.flatMap(({ exported }) => ('name' in exported ? [exported.name] : []));
  });
  return names.flatMap((name) => find(file, name) ?? []);
}

const TITLES: Readonly<Record<ApiEntry['kind'], string>> = { function: 'Functions', constant: 'Constants', class: 'Classes', type: 'Types' };

/** Formats the page of an entry. @param specifier how it is imported */
export function apiMarkdown(specifier: string, entries: readonly ApiEntry[]): string {
  const section = (kind: ApiEntry['kind']): string[] => {
    const own = entries.filter((entry) => entry.kind === kind);
    if (own.length === 0) return [];
    return [
      `## ${TITLES[kind]}`,
      '',
      ...own.flatMap(({ name, text, examples, signature }) => [
        `### ${name}`,
        '',
        ...(text === '' ? [] : [text, '']),
        ...examples.flatMap((example) => ['```ts', example, '```', '']),
        '```ts',
        signature,
        '```',
        '',
      ]),
    ];
  };
  return [`# ${specifier}`, '', ...(['function', 'class', 'constant', 'type'] as const).flatMap(section)].join('\n');
}
