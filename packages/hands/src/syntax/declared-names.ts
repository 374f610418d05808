import type { Node } from 'web-tree-sitter';
import { CONTAINERS, type SymbolKind } from './grammar.ts';
import { calledBody, isFunction, plainValue } from './script-values.ts';

/** A name that a node declares. */
export interface DeclaredName {
  /** With dots if it names what is around it: `Context.header`. */
  readonly name: string;
  readonly kind: SymbolKind;
  /** The node of the name. */
  readonly at: Node;
}

/** What a node declares. */
export interface Declared {
  readonly names: readonly DeclaredName[];
  /** The path of what the members belong to, if no name is declared. */
  readonly inside?: string;
  /** Has the members. */
  readonly body?: Node | undefined;
  /** A declaration inside this one that is not a member of it. */
  readonly beside?: Node | undefined;
}

const MAX_NAME_CHARACTERS = 200;

const SPECIFIERS: ReadonlySet<string> = new Set(['class_specifier', 'struct_specifier', 'union_specifier', 'enum_specifier']);

/** The text of a name, with one kind of separator, and without quotes and type arguments. */
function plain(node: Node): string {
  return node.text
    .slice(0, MAX_NAME_CHARACTERS)
    .replaceAll(/<[^<>]*>/gu, '')
    .replaceAll(/::|\\/gu, '.')
    .replaceAll(/^["'`]|["'`]$/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

const field = (node: Node, name: string): Node | undefined => node.childForFieldName(name) ?? undefined;
const fields = (node: Node, name: string): Node[] => node.childrenForFieldName(name).filter((one) => one.isNamed);

function one(at: Node | undefined, kind: SymbolKind, body?: Node): Declared | undefined {
  if (at === undefined) return undefined;
  const name = plain(at);
  return name === '' ? undefined : { names: [{ name, kind, at }], body };
}

/** Patterns, with the field that has their names; all of their nodes have some where none is named. */
const PATTERNS: Readonly<Record<string, string>> = {
  object_pattern: '',
  array_pattern: '',
  rest_pattern: '',
  pair_pattern: 'value',
  object_assignment_pattern: 'left',
  assignment_pattern: 'left',
  pattern_list: '',
  tuple_pattern: '',
  list_pattern: '',
  list_splat_pattern: '',
  left_assignment_list: '',
};
const PATTERN_NAMES: ReadonlySet<string> = new Set(['identifier', 'shorthand_property_identifier_pattern', 'constant']);
/** Maximum depth of patterns in each other. */
const MAX_PATTERNS = 20;

/** The names in a pattern: `{ a, b: [c, ...d] }`. Parts of something else are none, as in `a.b, c = 1, 2`. */
function namesIn(pattern: Node, kind: SymbolKind, level = 0): DeclaredName[] {
  if (PATTERN_NAMES.has(pattern.type)) return [{ name: plain(pattern), kind, at: pattern }];
  const within = Object.hasOwn(PATTERNS, pattern.type) ? PATTERNS[pattern.type] : undefined;
  if (within === undefined || level > MAX_PATTERNS) return [];
  const parts = within === '' ? pattern.namedChildren : fields(pattern, within);
  return parts.flatMap((part) => namesIn(part, kind, level + 1));
}

function allIn(patterns: readonly Node[], kind: SymbolKind): Declared | undefined {
  const names = patterns.flatMap((pattern) => namesIn(pattern, kind));
  return names.length === 0 ? undefined : { names };
}

type Reader = (node: Node, kind: SymbolKind) => Declared | undefined;

/** `name = value` of JavaScript, where the value says what the name is. */
function byValue(at: Node | undefined, given: Node | undefined, kind: SymbolKind): Declared | undefined {
  const value = plainValue(given);
  if (value !== undefined && isFunction(value)) return one(at, kind === 'method' ? kind : 'function');
  if (value?.type === 'class') return one(at, 'class', field(value, 'body'));
  if (value?.type === 'object') return one(at, kind, value);
  return kind === 'variable' ? one(at, kind, calledBody(value)) : undefined;
}

const ASSIGNED = /^(?:module\.)?exports\.|^module\./u;

const EXPORTS = /^(?:module\.)?exports$/u;
const PROTOTYPE = /^(?<type>[\p{L}\p{N}_$.]{1,200})\.prototype$/u;
const isMethod = (member: Node): boolean =>
  member.type === 'method_definition' || (member.type === 'pair' && isFunction(plainValue(field(member, 'value')) ?? member));

/** The last target of `a = b = value`, with the value. */
function assigned(node: Node): { readonly left: Node | undefined; readonly value: Node | undefined } {
  let at = node;
  for (let level = 0; level < MAX_PATTERNS; level += 1) {
    const right = field(at, 'right');
    if (right?.type !== 'assignment_expression') break;
    at = right;
  }
  return { left: field(at, 'left'), value: plainValue(field(at, 'right')) };
}

/** An object with methods that is assigned: to all exports, to a prototype, or to a name. */
function readAssignedObject(left: Node, value: Node): Declared | undefined {
  if (EXPORTS.test(left.text)) return { names: [], body: value };
  const type = PROTOTYPE.exec(left.text)?.groups?.['type'];
  if (type !== undefined) return { names: [], inside: type.replace(ASSIGNED, ''), body: value };
  const name = left.text.replace(ASSIGNED, '');
  const isNamed = left.type === 'member_expression' && /^[\p{L}\p{N}_$.]{1,200}$/u.test(name) && value.namedChildren.some(isMethod);
  return isNamed ? { names: [{ name, kind: 'variable', at: field(left, 'property') ?? left }], body: value } : undefined;
}

/** `exports.name = function () {}`, `Type.prototype.name = function () {}`, `module.exports = { name() {} }`. */
const readAssigned: Reader = (node) => {
  const { left, value } = assigned(node);
  if (left === undefined || value === undefined) return undefined;
  if (value.type === 'object') return readAssignedObject(left, value);
  if (left.type !== 'member_expression' || (!isFunction(value) && value.type !== 'class')) return undefined;
  const name = left.text.replace(ASSIGNED, '').replace('.prototype.', '.');
  const at = field(left, 'property') ?? left;
  if (!/^[\p{L}\p{N}_$.]{1,200}$/u.test(name)) return undefined;
  return value.type === 'class'
    ? { names: [{ name, kind: 'class', at }], body: field(value, 'body') }
    : { names: [{ name, kind: name.includes('.') ? 'method' : 'function', at }] };
};

/** The name inside a declarator of C, and whether it is of a function. */
function declarator(node: Node): { readonly at: Node; readonly isFunction: boolean } | undefined {
  let isFunction = false;
  let at: Node | undefined = node;
  for (let level = 0; at !== undefined && level < 20; level += 1) {
    isFunction ||= at.type === 'function_declarator';
    const inner: Node | undefined =
      field(at, 'declarator') ?? (/^(?:parenthesized|reference)_declarator$/u.test(at.type) ? (at.namedChildren[0] ?? undefined) : undefined);
    if (inner === undefined) break;
    at = inner;
  }
  return at === undefined || !/identifier|_name$/u.test(at.type) ? undefined : { at, isFunction };
}

const readDeclarators: Reader = (node, kind) => {
  const type = field(node, 'type');
  const beside = type !== undefined && SPECIFIERS.has(type.type) && field(type, 'body') !== undefined ? type : undefined;
  const names = fields(node, 'declarator').flatMap((each): DeclaredName[] => {
    const found = declarator(each);
    if (found === undefined) return [];
    const inClass = node.type === 'field_declaration' ? 'method' : 'function';
    return [{ name: plain(found.at), kind: found.isFunction && kind !== 'type' ? inClass : kind, at: found.at }];
  });
  return names.length === 0 && beside === undefined ? undefined : { names, beside };
};

const readSpecifier: Reader = (node, kind) => {
  const body = field(node, 'body');
  return body === undefined ? undefined : one(field(node, 'name'), kind, body);
};

const readAllNames: Reader = (node, kind) => {
  const names = fields(node, 'name').map((at) => ({ name: plain(at), kind, at }));
  return names.length === 0 ? undefined : { names };
};

const GO_KINDS: Readonly<Record<string, SymbolKind>> = { struct_type: 'struct', interface_type: 'interface' };

const readGoType: Reader = (node, kind) => {
  const type = field(node, 'type');
  return one(field(node, 'name'), (type === undefined ? undefined : GO_KINDS[type.type]) ?? kind, type);
};

const readGoMethod: Reader = (node, kind) => {
  const at = field(node, 'name');
  const receiver = /(?<type>[\p{L}\p{N}_]+)\s*(?:\[[^\]]*\])?\s*\)\s*$/u.exec(field(node, 'receiver')?.text.slice(0, 1_000) ?? '')?.groups?.['type'];
  if (at === undefined) return undefined;
  return { names: [{ name: receiver === undefined ? plain(at) : `${receiver}.${plain(at)}`, kind, at }] };
};

/** Only names: an assignment to a part of something declares nothing. */
const readTarget: Reader = (node, kind) => {
  const targets: Node[] = [];
  // `a = b = 1` is an assignment of an assignment.
  for (let at: Node | undefined = node; at?.type === 'assignment' && targets.length < MAX_PATTERNS; at = field(at, 'right')) {
    const left = field(at, 'left');
    if (left !== undefined) targets.push(left);
  }
  const right = field(node, 'right');
  // Ruby: Point = Struct.new(:x) do … end
  if (right?.type === 'call' && field(right, 'block') !== undefined && /^(?:Struct|Class|Module|Data)\b/u.test(right.text.slice(0, 10)))
    return one(targets[0], 'class', field(right, 'block'));
  return allIn(targets, kind);
};

const readVariable: Reader = (node, kind) => {
  const at = field(node, 'name');
  if (at !== undefined && !/identifier|^name$/u.test(at.type)) return allIn([at], kind);
  return kind === 'variable' ? byValue(at, field(node, 'value'), kind) : one(at ?? node.namedChildren[0] ?? undefined, kind);
};

/** A field of a class whose value is a function is called like a method. */
function readField(at: Node | undefined, node: Node, kind: SymbolKind): Declared | undefined {
  const value = field(node, 'value');
  return one(at, value !== undefined && isFunction(value) ? 'method' : kind);
}

const readFunction: Reader = (node, kind) => {
  const inner = field(node, 'declarator');
  if (inner === undefined) return one(field(node, 'name'), kind);
  const found = declarator(inner);
  return found === undefined ? undefined : one(found.at, kind);
};

/** Node types that do not say their name in the field `name`, with what does. */
const READERS: Readonly<Record<string, Reader>> = {
  variable_declarator: readVariable,
  assignment_expression: readAssigned,
  assignment: readTarget,
  pair: (node, kind) => byValue(field(node, 'key'), field(node, 'value'), kind),
  function_definition: readFunction,
  field_definition: (node, kind) => readField(field(node, 'property'), node, kind),
  public_field_definition: (node, kind) => readField(field(node, 'name'), node, kind),
  declaration: readDeclarators,
  field_declaration: (node, kind) =>
    field(node, 'declarator') === undefined && field(node, 'name') !== undefined ? readAllNames(node, kind) : readDeclarators(node, kind),
  type_definition: readDeclarators,
  class_specifier: readSpecifier,
  struct_specifier: readSpecifier,
  union_specifier: readSpecifier,
  enum_specifier: readSpecifier,
  type_spec: readGoType,
  method_declaration: (node, kind) => (field(node, 'receiver') === undefined ? one(field(node, 'name'), kind) : readGoMethod(node, kind)),
  const_spec: readAllNames,
  var_spec: readAllNames,
  impl_item: (node, kind) => one(field(node, 'type'), kind, field(node, 'body')),
};

/** Returns what a node declares; undefined if it declares no name. */
export function declaredNames(node: Node, kind: SymbolKind): Declared | undefined {
  const read = Object.hasOwn(READERS, node.type) ? READERS[node.type] : undefined;
  if (read !== undefined) return read(node, kind);
  const body = CONTAINERS.has(kind) ? (field(node, 'body') ?? node) : undefined;
  const named = one(field(node, 'name'), kind, body);
  if (named !== undefined || node.parent?.type !== 'export_statement') return named;
  return { names: [{ name: 'default', kind, at: node }], body };
}
