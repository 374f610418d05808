import * as astGrep from '@ast-grep/wasm/wasm_bg.js';
import { Language, Parser } from 'web-tree-sitter';
import { grammarBytes, runtimeBytes } from '../syntax/grammar-files.ts';
import { MAX_MATCHES, type StructureAnswer, type StructureMatch, type StructureRequest } from './messages.ts';
import { asInFile, fillTemplate, indentAt, reindented } from './template.ts';

/** Stands for `$` where that is no letter of a name. */
const PLACEHOLDER = 'µ';
/** Where `$` is a letter of names, and so a pattern is code as it stands. */
const HAS_DOLLAR: ReadonlySet<string> = new Set(['typescript', 'tsx', 'javascript', 'java']);
/** Where a statement alone is no code: the code around it, in two parts. Go reads `fmt.Print($X)` as a type there. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = { go: ['func _() {\n', '\n}'] };

const started = new Map<string, Promise<void>>();

/** Starts the matcher. @param module of `@ast-grep/wasm` */
export async function startMatcher(module: WebAssembly.Module): Promise<void> {
  await Parser.init({ wasmBinary: await runtimeBytes() });
  const { exports } = new WebAssembly.Instance(module, { './wasm_bg.js': astGrep });
  astGrep.__wbg_set_wasm(exports);
  exports['__wbindgen_start']?.();
  await astGrep.initializeTreeSitter();
  const load = Language.load.bind(Language);
  // The matcher asks for a grammar by a path. Ours are compressed, and named.
  Language.load = async (name) => await load(typeof name === 'string' ? await grammarBytes(name) : name);
}

async function register(grammar: string): Promise<void> {
  const expandoChar = HAS_DOLLAR.has(grammar) ? '$' : PLACEHOLDER;
  await astGrep.registerDynamicLanguage({ [grammar]: { libraryPath: grammar, expandoChar } });
}

const isBroken = ({ kind, children }: astGrep.PatternNode): boolean => kind === 'ERROR' || children.some(isBroken);

/** The kind of the innermost node at a place of a text. */
function kindAt(grammar: string, text: string, start: number, end: number): string | undefined {
  using parsed = astGrep.parse(grammar, text);
  let kind: string | undefined;
  for (let nodes = [parsed.root()]; nodes.length > 0;) {
    const around = nodes.find((node) => node.range().start.index <= start && node.range().end.index >= end);
    if (around === undefined) break;
    const { start: from, end: to } = around.range();
    if (from.index === start && to.index === end) kind ??= around.kind() === 'expression_statement' ? undefined : around.kind();
    nodes = around.children();
  }
  return kind;
}

/** What to search for: the pattern, in the code that it needs around it. */
function ruleOf(grammar: string, pattern: string): unknown {
  const around = AROUND[grammar];
  if (around === undefined) return pattern;
  const context = around.join(pattern);
  const [before] = around;
  const selector = kindAt(grammar, context.replaceAll('$', PLACEHOLDER), before.length, before.length + pattern.length);
  return selector === undefined || selector === 'ERROR' || isBroken(astGrep.dumpPattern(grammar, context, selector))
    ? pattern
    : { rule: { pattern: { context, selector } } };
}

/** A rule of a pattern in a language, or why there is none. */
function compiled(grammar: string, pattern: string): { readonly rule: unknown } | { readonly problem: string } {
  try {
    const rule = ruleOf(grammar, pattern);
    if (typeof rule === 'string' && isBroken(astGrep.dumpPattern(grammar, pattern))) return { problem: 'it is no whole piece of code' };
    return { rule };
  } catch (error) {
    const said = String(error instanceof Error ? error.message : error);
    return { problem: said.includes('Multiple AST nodes') ? 'it is more than one piece of code' : 'it is no whole piece of code' };
  }
}

/** Finds what has the structure of a pattern. */
export async function findStructure({ grammar, text, pattern: given, replacement }: StructureRequest): Promise<StructureAnswer> {
  let ready = started.get(grammar);
  if (ready === undefined) started.set(grammar, (ready = register(grammar)));
  await ready;
  const pattern = given.trim();
  const compiling = compiled(grammar, pattern);
  if ('problem' in compiling) return compiling;
  using parsed = astGrep.parse(grammar, text);
  const matches: StructureMatch[] = [];
  let [end, inner] = [0, 0];
  for (const node of parsed.root().findAll(compiling.rule)) {
    const range = node.range();
    // What is inside another match is replaced with it.
    if (replacement !== undefined && range.start.index < end) {
      inner += 1;
      continue;
    }
    if (matches.length === MAX_MATCHES) return { matches, inner, hasMore: true };
    ({ end } = placeOf(node));
    const place = { start: range.start.index, end };
    matches.push(replacement === undefined ? place : replaced(node, text, pattern, replacement));
  }
  return { matches, inner, hasMore: false };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

const placeOf = (node: astGrep.SgNode): Place => ({ start: node.range().start.index, end: node.range().end.index });

/** What replaces a match, and where. */
function replaced(node: astGrep.SgNode, text: string, pattern: string, replacement: string): StructureMatch {
  const { start, end: whole } = placeOf(node);
  // A pattern without a semicolon matches a statement with one, which is not part of what was asked for.
  const ownsEnd = !text.slice(start, whole).endsWith(';') || pattern.endsWith(';') || /(?:^|[;}])\s*$/u.test(replacement);
  const end = ownsEnd ? whole : whole - 1;
  const kept: Place[] = [];
  const filled = fillTemplate(asInFile(replacement, text, start), (name, many, indent) => {
    const nodes = many ? node.getMultipleMatches(name) : [node.getMatch(name)].filter((one) => one !== undefined);
    const [first, last] = [nodes[0], nodes.at(-1)];
    if (first === undefined || last === undefined) return '';
    const place = { start: placeOf(first).start, end: placeOf(last).end };
    kept.push(place);
    return codeOf(nodes, place, text, indent === '' ? indentAt(text, start) : indent);
  });
  return { start, end, filled: { ...filled, lostComments: lostComments(node, kept) } };
}

/** The code of a part, as it is written in lines of an indentation. */
function codeOf(nodes: readonly astGrep.SgNode[], { start, end }: Place, text: string, indent: string): string {
  const code = text.slice(start, end);
  const from = indentAt(text, start);
  if (from === indent || !code.includes('\n')) return code;
  const texts = nodes.flatMap((node) => [...nodesIn(node, TEXTS)]).map(placeOf);
  return reindented(code, from, indent, (at) => texts.some((one) => start + at > one.start && start + at < one.end));
}

/** Nodes whose lines are no code, so that white space in them counts. */
const TEXTS = /string|heredoc|template_literal/u;
const COMMENTS = /comment/u;

/** The outermost nodes of a kind. */
function* nodesIn(root: astGrep.SgNode, kinds: RegExp): Generator<astGrep.SgNode> {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop())
    if (kinds.test(node.kind())) yield node;
    else left.push(...node.children());
}

/** Number of comments in a match that are not in its parts that are kept. */
function lostComments(match: astGrep.SgNode, kept: readonly Place[]): number {
  const isKept = ({ start, end }: Place): boolean => kept.some((one) => one.start <= start && one.end >= end);
  return [...nodesIn(match, COMMENTS)].map(placeOf).filter((one) => !isKept(one)).length;
}
