import { forEachChild, parse, type Command, type CommandArgument, type ParsedScript, type Redirection, type SyntaxNode, type Word } from 'unbash';
import { CHANGES_FOLDER, MAX_STEPS, SHOWS_COMMANDS, type Effects, type EffectsDraft, type Steps } from './effects.ts';
import { assignmentReason, boundPlaces, emptyEffects, OutOfSteps, readExec, spend, type ExecInput } from './exec-effects.ts';
import { isPlainTest, onlyStops } from './harmless-syntax.ts';
import { SHORT_TEXT, stepsToParse } from './parse-steps.ts';
import { deceptionReason, readWord, type ReadWord } from './shell-words.ts';

/** Maximum length of a command. Linux refuses longer arguments (MAX_ARG_STRLEN, 128 KiB), so `sh -c` cannot run longer ones. */
const MAX_LENGTH = 131_072;
/** Maximum nesting of `sh -c "sh -c …"`. */
const MAX_DEPTH = 8;
/** Maximum number of reasons why a command is not understood. Some hold a part of the command. */
const MAX_REASONS = 32;
/** Maximum number of folders that a relative path can start from. Each `cd` doubles them. */
const MAX_FOLDERS = 8;

type NodeOf<T extends SyntaxNode['type']> = Extract<SyntaxNode, { type: T }>;

/** The state of the walk over a command. */
interface Walk {
  readonly draft: EffectsDraft;
  readonly source: string;
  readonly depth: number;
  /** Whether bash runs it. The parser reads bash. */
  readonly bash: boolean;
  /** Possible folders of relative paths. Grows with each `cd`. */
  readonly folders: string[];
  /** Whether the next command may run more than once, or later. */
  readonly repeats: boolean;
  /** Whether other commands run at the same time. */
  readonly overlaps: boolean;
  /** Whether standard input is redirected. Commands start with a closed one. */
  readonly piped: boolean;
}

/** Bash syntax that other shells read differently: an argument may be a command there. */
const NOT_POSIX: Partial<Record<SyntaxNode['type'], string>> = {
  TestCommand: '[[ … ]] is a command name to another shell',
  ArithmeticCommand: '((…)) is two subshells to another shell',
  ArithmeticFor: 'for ((…)) means nothing to another shell',
  Select: 'select is a command name to another shell',
  Coproc: 'coproc is a command name to another shell',
  Function: 'a function gives a name another meaning',
  ArrayValue: 'arrays mean nothing to another shell',
};

/** Reasons that are none if bash runs the command: it reads it as the parser does. */
const OTHER_SHELLS: ReadonlySet<string> = new Set(Object.values(NOT_POSIX));

/** Shell built-ins that change the meaning of later words. */
const SHELL_STATE = new Set(
  'alias unalias set shopt export unset readonly declare typeset local let read mapfile readarray getopts shift hash enable bind complete umask ulimit trap eval source . exec popd pushd dirs fc history jobs fg bg caller'.split(
    ' ',
  ),
);

/** Why a command beyond the steps, or the number of programs, is not understood. */
const TOO_MUCH = 'it is too long or too nested to be understood';

const DEVICE_NETWORK = /^\/dev\/(?:tcp|udp)\/([^/]+)\//u;

function unknown(walk: Walk, ...reasons: string[]): void {
  const { unknown: known, hidden } = walk.draft;
  for (const reason of reasons) {
    if (known.length < MAX_REASONS && !known.includes(reason)) known.push(reason);
    if (hidden.length === 0 && !SHOWS_COMMANDS.has(reason) && !(walk.bash && OTHER_SHELLS.has(reason))) hidden.push(reason);
  }
}

/** Visits substitutions and other nodes that may contain commands. */
function visitNested(nodes: readonly SyntaxNode[], walk: Walk): void {
  for (const node of nodes) visit(node, walk);
}

/** Characters that mean themselves to every shell. */
const PLAIN_WORD = /^[\w./:@%+,=-]+$/u;
const NOTHING_NESTED: readonly SyntaxNode[] = [];
/** Text that cannot look like other text. */
const PLAIN_TEXT = /^[\t\n\x20-\x7e]*$/u;

/** Reads a word. Most words are plain, and stand for themselves. */
function readAny(word: Word): ReadWord {
  return word.parts === undefined && PLAIN_WORD.test(word.text)
    ? { value: word.value, reasons: [], nested: NOTHING_NESTED, splits: false }
    : readWord(word);
}

function readNested(word: Word, walk: Walk): ReadWord {
  const read = readAny(word);
  visitNested(read.nested, walk);
  return read;
}

/** Whether a path contains `..` after a name. Avoids a regular expression, which took seconds on 100,000 characters. */
function climbs(path: string): boolean {
  if (!path.includes('..')) return false;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.some((name, index) => name === '..' && index > 0 && names[index - 1] !== '..');
}

/** Resolves a path in each possible folder. */
function placed(path: string, walk: Walk): string[] {
  if (path.startsWith('/')) return [path];
  // Through a link, `a/..` is not the starting folder.
  if (climbs(path)) unknown(walk, 'a path goes up again after going down');
  return walk.folders.map((folder) => (folder === '' ? path : `${folder}/${path}`));
}

function hereDocument({ closing, delimiter, body }: Extract<Redirection, { type: 'HereDoc' }>, walk: Walk): void {
  if (closing === undefined) unknown(walk, 'a here document does not end');
  if (delimiter !== undefined && !/^(?:[\w-]+|'[\w-]+'|"[\w-]+"|\\[\w-]+)$/u.test(delimiter.text))
    unknown(walk, 'a here document ends with an odd word');
  for (const part of body.parts ?? []) {
    if (part.type === 'Literal') continue;
    if (part.type !== 'CommandExpansion') unknown(walk, 'a here document holds what is only known when it runs');
    visit(part, walk);
  }
}

function redirect(node: Redirection, walk: Walk): void {
  if (node.descriptor?.type === 'FileDescriptorVariable') unknown(walk, '{name}> means something else in another shell');
  if (node.type === 'HereDoc') return hereDocument(node, walk);
  if (node.target === undefined) return unknown(walk, 'a redirection leads nowhere');
  const { value, reasons } = readNested(node.target, walk);
  if (node.type === 'HereString') return unknown(walk, ...reasons);
  const copies = node.operator === '>&' || node.operator === '<&';
  if (copies && value !== undefined && /^(?:\d+-?|-)$/u.test(value)) return;
  const isBoth = node.operator === '&>' || node.operator === '&>>';
  if (copies || (isBoth && !walk.bash)) unknown(walk, `${node.operator} means something else in another shell`);
  if (value === undefined) return unknown(walk, 'a redirection leads to a file that is only known when it runs', ...reasons);
  unknown(walk, ...reasons);
  redirectTo(value, node.operator, walk);
}

function redirectTo(file: string, operator: string, walk: Walk): void {
  const host = DEVICE_NETWORK.exec(file)?.[1];
  if (host !== undefined) {
    walk.draft.net.push({ host, exec: undefined });
    unknown(walk, 'a redirection opens a connection');
  }
  for (const path of placed(file, walk)) {
    const effect = { path, tree: false, exec: undefined };
    if (operator.includes('<')) walk.draft.reads.push(effect);
    if (operator.includes('>')) walk.draft.writes.push(effect);
  }
}

function assign(argument: CommandArgument & { type: 'Assignment' }, walk: Walk): void {
  if (argument.append === true || argument.index !== undefined || argument.value.type === 'ArrayValue') {
    unknown(walk, 'this assignment means something else in another shell');
    forEachChild(argument, (child) => visit(child, walk));
    return;
  }
  const { reasons } = readNested(argument.value, walk);
  const reason = assignmentReason(argument.name);
  unknown(walk, ...reasons, ...(reason === undefined ? [] : [reason]));
}

/** Handles `cd`, which adds a meaning to every later relative path. */
function changeFolder(input: ExecInput, walk: Walk): void {
  unknown(walk, CHANGES_FOLDER);
  const target = input.words[1];
  if (input.words.length !== 2 || target === undefined || target === '-' || walk.repeats || walk.folders.length >= MAX_FOLDERS) {
    return unknown(walk, 'the folder that cd goes to is only known when it runs');
  }
  for (const folder of placed(target, walk)) if (!walk.folders.includes(folder)) walk.folders.push(folder);
}

/** The words of a command, as far as they are known before it runs. */
function readWords(parts: readonly CommandArgument[], walk: Walk): Array<string | undefined> {
  return parts.map((part) => {
    spend(walk.draft.steps, 1 + part.text.length / 64);
    // `export A=b`: the shell reads an assignment, other programs read a word.
    const read = part.type === 'Word' ? readNested(part, walk) : undefined;
    if (part.type === 'Assignment') assign(part, walk);
    if (read !== undefined) unknown(walk, ...read.reasons);
    return read === undefined ? part.text : read.value;
  });
}

/** Whether a word may become several words that are only known when it runs. */
function splitsUnknown(part: CommandArgument): boolean {
  if (part.type !== 'Word' || part.parts === undefined) return false;
  const { splits, value } = readWord(part);
  return splits && value === undefined;
}

/** Whether standard input of a command is not the closed one that commands start with. */
const readsInput = (redirects: readonly Redirection[]): boolean =>
  redirects.some((part) => part.type !== 'Redirect' || part.operator.startsWith('<'));

function commandWordReason(words: ReadonlyArray<string | undefined>): string | undefined {
  const [first] = words;
  if (first === undefined) return 'the command word is only known when it runs';
  if (!/^[\x21-\x7e]*$/u.test(first)) return 'the command word holds characters outside ASCII, or spaces';
  return SHELL_STATE.has(first) && !onlyStops(words) ? `${first} changes what later commands mean` : undefined;
}

function command(node: Command, walk: Walk): void {
  for (const part of node.prefix) {
    if (part.type === 'Assignment') assign(part, walk);
  }
  for (const part of node.redirects) redirect(part, walk);
  if (node.name === undefined) return;
  const words = readWords([node.name, ...node.args], walk);
  const input: ExecInput = {
    words,
    text: walk.source.slice(node.pos, node.end),
    piped: walk.piped || readsInput(node.redirects),
    splits: node.args.some(splitsUnknown),
    overlaps: walk.overlaps || walk.repeats,
  };
  const reason = commandWordReason(words);
  if (reason !== undefined) unknown(walk, reason);
  const { texts } = readExec(
    input,
    walk.draft,
    (path) => placed(path, walk),
    (...reasons) => unknown(walk, ...reasons),
  );
  for (const text of texts) visitText(text, walk);
  if (words[0] === 'cd' || words[0] === 'pushd') changeFolder(input, walk);
}

/** Parses a text, if that takes few enough steps. */
function parseWithin(text: string, { steps }: EffectsDraft): ParsedScript {
  spend(steps, text.length < SHORT_TEXT ? 1 + text.length / 8 : stepsToParse(text));
  return parse(text);
}

/** Visits a command inside a command: `sh -c '…'`. */
function visitText(text: string, walk: Walk): void {
  if (walk.depth >= MAX_DEPTH) return unknown(walk, 'commands are nested too deeply');
  visitScript(parseWithin(text, walk.draft), { ...walk, source: text, bash: false, depth: walk.depth + 1, folders: [...walk.folders] });
}

function visitScript(script: ParsedScript, walk: Walk): void {
  if (script.errors !== undefined && script.errors.length > 0) unknown(walk, `it cannot be parsed: ${script.errors[0]?.message ?? 'syntax error'}`);
  // Positions in a backquoted script refer to the text of the script.
  const inner = script.source === undefined ? walk : { ...walk, source: script.source };
  for (const statement of script.commands) visit(statement, inner);
}

/** A substitution or a subshell, whose folder is its own. */
const apart = (walk: Walk): Walk => ({ ...walk, folders: [...walk.folders] });

function pipeline({ operators, commands }: NodeOf<'Pipeline'>, walk: Walk): void {
  if (operators.includes('|&') && !walk.bash) unknown(walk, '|& means something else in another shell');
  const beside = commands.length > 1 ? { ...walk, overlaps: true } : walk;
  commands.forEach((part, index) => visit(part, index === 0 ? beside : { ...beside, piped: true }));
}

function caseItem(node: NodeOf<'CaseItem'>, walk: Walk): void {
  const { terminator = ';;' } = node;
  if (terminator !== ';;' && !walk.bash) unknown(walk, `${terminator} means something else in another shell`);
  forEachChild(node, (child) => (child.type === 'Word' ? visitNested(readAny(child).nested, walk) : visit(child, walk)));
}

function substitution({ script }: NodeOf<'CommandExpansion'>, walk: Walk): void {
  if (script === undefined) unknown(walk, 'a substitution cannot be read');
  else visitScript(script, apart(walk));
}

function repeated(node: SyntaxNode, walk: Walk): void {
  forEachChild(node, (child) => visit(child, { ...walk, repeats: true }));
}

/** What each type of syntax does. Types that are not here only group what they contain, and all of that is visited. */
const VISITS: { readonly [T in SyntaxNode['type']]?: (node: NodeOf<T>, walk: Walk) => void } = {
  Script: visitScript,
  Command: command,
  Redirect: redirect,
  HereString: redirect,
  HereDoc: redirect,
  Word: (node, walk) => unknown(walk, ...readNested(node, walk).reasons),
  Assignment: assign,
  CommandExpansion: substitution,
  Subshell: (node, walk) => forEachChild(node, (child) => visit(child, apart(walk))),
  Pipeline: pipeline,
  CaseItem: caseItem,
  For: repeated,
  While: repeated,
  Function: repeated,
  Select: repeated,
  ArithmeticFor: repeated,
  Coproc: repeated,
  Statement: (node, walk) => forEachChild(node, (child) => visit(child, node.background === true ? { ...walk, overlaps: true } : walk)),
  Redirected: (node, walk) => {
    for (const part of node.redirects) redirect(part, walk);
    visit(node.command, { ...walk, piped: true });
  },
};

/** Judges every command, even if it may not be reached. */
function visit<T extends SyntaxNode['type']>(node: NodeOf<T> & { readonly type: T }, walk: Walk): void {
  spend(walk.draft.steps, 1);
  const reason = NOT_POSIX[node.type];
  if (reason !== undefined && !(walk.bash && isPlainTest(node))) unknown(walk, reason);
  const visitType = VISITS[node.type];
  if (visitType === undefined) forEachChild(node, (child) => visit(child, walk));
  else visitType(node, walk);
}

/**
 * Returns the effects of a command, from its text alone. Syntax that POSIX shells and bash read differently adds a reason to
 * `unknown`, unless bash is known to run it.
 *
 * @param folder where the command runs, relative to the workspace; empty for the workspace itself
 * @param bash whether bash runs it
 * @param steps the steps that it may take
 */
export function shellEffects(text: string, folder = '', bash = false, steps: Steps = { left: MAX_STEPS }): Effects {
  const draft = emptyEffects(steps);
  const walk: Walk = { draft, source: text, depth: 0, bash, folders: [folder === '.' ? '' : folder], repeats: false, overlaps: false, piped: false };
  if (text.length > MAX_LENGTH) {
    unknown(walk, `it is longer than ${MAX_LENGTH} characters, which no shell would take`);
    return draft;
  }
  const deception = PLAIN_TEXT.test(text) ? undefined : deceptionReason(text.replace(/[\n\t]/gu, ' '));
  if (deception !== undefined) unknown(walk, deception);
  // ASCII control characters: a terminal acts on them, and \r hides a line.
  if (/(?![\t\n\x80-\x9f])\p{Cc}/u.test(text)) unknown(walk, 'it holds control characters');
  if (/(?:^|[^\\])(?:\\\\)*\\$/u.test(text)) unknown(walk, 'it ends in the middle of an escape');
  try {
    visitScript(parseWithin(text, draft), walk);
  } catch (error) {
    // The parser should never throw. If it does, or takes too many steps, the unread command must ask.
    if (!(error instanceof Error)) throw error;
    unknown(walk, error instanceof OutOfSteps ? TOO_MUCH : 'it cannot be parsed');
  }
  if (boundPlaces(draft)) unknown(walk, 'it names more files than are looked at');
  return draft;
}
