import { findNodeAtLocation, parseTree, printParseErrorCode, stripComments, type Node, type ParseError } from 'jsonc-parser';
import { nearest } from '../text/nearest.ts';
import { MODES, type Mode } from './modes.ts';
import { policyError } from './policy-error.ts';
import type { BrokenRule, PermissionSettings, PolicySource } from './policy.ts';
import { type RuleObject, type RuleSource, VERDICTS, type Verdict } from './rule.ts';

/** The text of a configuration file. */
export interface PolicyFile {
  readonly layer: PolicySource['layer'];
  /** The path for errors and explanations. */
  readonly label: string;
  /** JSON with comments and trailing commas. */
  readonly text: string;
  /** For a project: whether its folder is trusted. */
  readonly trusted?: boolean;
}

/** The fields of `permissions`. */
export const SETTINGS = ['mode', ...VERDICTS];
/** The fields of a rule that is an object. */
export const RULE_FIELDS = ['rule', 'match', 'notMatch', 'reason', 'guarded', 'expiresAt'];

/** The ends of the lines of the last text: a file may have many problems. */
let lines: { readonly text: string; readonly ends: readonly number[] } | undefined;

/** Returns a position in a text as `line:column`, both from 1. */
export function placeOf(text: string, offset: number): string {
  if (lines?.text !== text) lines = { text, ends: Array.from(text.matchAll(/\n/gu), ({ index }) => index) };
  const { ends } = lines;
  const next = ends.findIndex((end) => end >= offset);
  const line = next === -1 ? ends.length : next;
  return `${line + 1}:${offset - (ends[line - 1] ?? -1)}`;
}

/** Collects the problems of a file or a rule with their positions. */
interface Reading {
  readonly file: PolicyFile;
  readonly problems: string[];
}

/** Maximum number of problems of a file that are reported. */
const MAX_PROBLEMS = 50;
/** Maximum number of rules of a file. Each is compared with everything that a call does. */
const MAX_RULES = 1_000;

function complain({ file, problems }: Reading, offset: number, problem: string): void {
  if (problems.length >= MAX_PROBLEMS) return;
  problems.push(`${file.label}:${placeOf(file.text, offset)}: ${problem}${problem.endsWith('?') ? '' : '.'}`);
}

/** Returns the fields of an object. A duplicate field is an error, because parsers handle it differently. */
function fieldsOf(node: Node, known: readonly string[], reading: Reading): Map<string, Node> {
  const fields = new Map<string, Node>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (fields.has(name)) complain(reading, key.offset, `"${name}" is there twice`);
    if (!known.includes(name)) {
      const near = nearest(name, known);
      complain(
        reading,
        key.offset,
        `"${name.slice(0, 60)}" is not known here; ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known are ${known.join(', ')}`}`,
      );
    }
    fields.set(name, value);
  }
  return fields;
}

function readStrings(node: Node | undefined, field: string, reading: Reading): string[] | undefined {
  if (node === undefined) return undefined;
  const items = node.type === 'array' ? (node.children ?? []) : undefined;
  if (items === undefined || items.some((item) => item.type !== 'string')) {
    complain(reading, node.offset, `"${field}" must be a list of texts`);
    return undefined;
  }
  return items.map((item) => String(item.value));
}

/** @returns the rule; undefined if it is invalid, which is reported */
function readRule(node: Node, reading: Reading): RuleSource | undefined {
  if (node.type === 'string') return String(node.value);
  if (node.type !== 'object') {
    complain(reading, node.offset, 'a rule is a text such as "exec(npm test)", or an object with "rule"');
    return undefined;
  }
  const before = reading.problems.length;
  const fields = fieldsOf(node, RULE_FIELDS, reading);
  const rule = fields.get('rule');
  if (rule?.type !== 'string') {
    complain(reading, node.offset, 'a rule object needs the text "rule"');
    return undefined;
  }
  const typed = (name: string, type: Node['type']): unknown => {
    const field = fields.get(name);
    if (field !== undefined && field.type !== type) complain(reading, field.offset, `"${name}" must be a ${type}`);
    return field?.value;
  };
  const [reason, guarded, expiresAt] = [typed('reason', 'string'), typed('guarded', 'boolean'), typed('expiresAt', 'number')];
  const [match, notMatch] = [readStrings(fields.get('match'), 'match', reading), readStrings(fields.get('notMatch'), 'notMatch', reading)];
  const object: RuleObject = {
    rule: String(rule.value),
    ...(match === undefined ? {} : { match }),
    ...(notMatch === undefined ? {} : { notMatch }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof guarded === 'boolean' ? { guarded } : {}),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
  };
  return reading.problems.length > before ? undefined : object;
}

function readMode(node: Node | undefined, reading: Reading): Mode | undefined {
  if (node === undefined) return undefined;
  const mode = MODES.find((name) => name === node.value);
  if (mode === undefined) complain(reading, node.offset, `"mode" must be one of ${MODES.join(', ')}`);
  return mode;
}

/** Reports misspelled fields: ignoring them would silently lose their rules. Other fields belong to other programs. */
function readOtherKeys(root: Node, reading: Reading): void {
  for (const { children: [key] = [] } of root.children ?? []) {
    if (key === undefined || key.value === 'permissions') continue;
    const name = String(key.value);
    if (SETTINGS.includes(name)) complain(reading, key.offset, `"${name}" belongs into "permissions": { … }`);
    else if (nearest(name, ['permissions']).length > 0)
      complain(reading, key.offset, `"${name.slice(0, 60)}" is not known here; did you mean permissions?`);
  }
}

/** Parses a configuration file. @returns undefined if it is not JSON, which is reported, and no `root` if there is nothing in it */
function parseConfiguration(reading: Reading): { readonly root?: Node | undefined } | undefined {
  const errors: ParseError[] = [];
  const text = reading.file.text.replace(/^\ufeff/u, ' ');
  const root = stripComments(text).trim() === '' ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  for (const { error, offset } of errors) complain(reading, offset, `this is not JSON: ${printParseErrorCode(error)}`);
  if (errors.length > 0) return undefined;
  if (root !== undefined && root.type !== 'object') complain(reading, root.offset, 'a configuration is an object: { "permissions": { … } }');
  return { root: root?.type === 'object' ? root : undefined };
}

/** The fields of `permissions`. */
function settingsIn(root: Node, reading: Reading): Map<string, Node> {
  readOtherKeys(root, reading);
  const keys = root.children?.map((property) => property.children?.[0]).filter((key) => key?.value === 'permissions') ?? [];
  if (keys.length > 1) complain(reading, keys[1]?.offset ?? 0, '"permissions" is there twice');
  const permissions = findNodeAtLocation(root, ['permissions']);
  if (permissions === undefined) return new Map();
  if (permissions.type === 'object') return fieldsOf(permissions, SETTINGS, reading);
  complain(reading, permissions.offset, '"permissions" must be an object');
  return new Map();
}

/** The rules of one verdict. */
interface ReadRules {
  readonly rules: readonly RuleSource[];
  /** Where each rule is in the file. */
  readonly offsets: readonly number[];
  readonly broken: readonly BrokenRule[];
}

function readRules(verdict: Verdict, list: Node, reading: Reading): ReadRules {
  const { file } = reading;
  if (list.type !== 'array') complain(reading, list.offset, `"${verdict}" must be a list of rules`);
  const nodes = list.type === 'array' ? (list.children ?? []) : [];
  if (nodes.length > MAX_RULES) complain(reading, list.offset, `"${verdict}" has more than ${MAX_RULES} rules`);
  const rules: RuleSource[] = [];
  const offsets: number[] = [];
  const broken: BrokenRule[] = [];
  for (const node of nodes.slice(0, MAX_RULES)) {
    const own: Reading = { file, problems: [] };
    const rule = readRule(node, own);
    const text = file.text.slice(node.offset, node.offset + node.length);
    broken.push(...own.problems.map((problem): BrokenRule => ({ verdict, text: text.slice(0, 200), problem })));
    if (rule === undefined) continue;
    rules.push(rule);
    offsets.push(node.offset);
  }
  return { rules, offsets, broken };
}

/** Reads the `permissions` of one configuration file; ignores other fields. */
function readFile(reading: Reading): PolicySource | undefined {
  const { file } = reading;
  const parsed = parseConfiguration(reading);
  if (parsed === undefined) return undefined;
  const fields = parsed.root === undefined ? new Map<string, Node>() : settingsIn(parsed.root, reading);
  const lists = VERDICTS.flatMap((verdict) => {
    const list = fields.get(verdict);
    return list === undefined ? [] : [[verdict, readRules(verdict, list, reading)] as const];
  });
  const rules: Partial<Record<Verdict, readonly RuleSource[]>> = Object.fromEntries(lists.map(([verdict, read]) => [verdict, read.rules]));
  const offsets = new Map(lists.map(([verdict, read]) => [verdict, read.offsets]));
  const broken = lists.flatMap(([, read]) => read.broken);
  const mode = readMode(fields.get('mode'), reading);
  const settings: PermissionSettings = { ...rules, ...(mode === undefined ? {} : { mode }) };
  return {
    layer: file.layer,
    origin: file.label,
    settings,
    // A project is trusted only if the user trusts it explicitly.
    trusted: file.trusted ?? file.layer !== 'project',
    broken,
    position: (verdict, index) => `${file.label}:${placeOf(file.text, offsets.get(verdict)?.[index] ?? 0)}`,
  };
}

/**
 * Reads configuration files for `compilePolicy`.
 *
 * @throws SynapseError `invalid_arguments` that lists every problem as `file:line:column: reason`, except problems of single
 *   rules, which `compilePolicy` handles
 */
export function readPolicyFiles(files: readonly PolicyFile[]): PolicySource[] {
  const problems: string[] = [];
  const sources = files.flatMap((file) => readFile({ file, problems }) ?? []);
  if (problems.length > 0) throw policyError(problems);
  return sources;
}
