import type { CallError, CallResult } from '@synapse/protocol';
import { describeInput } from '../tool/describe-input.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { Dialect, DialectTool } from './dialect.ts';

/** Names of canonical tools in hints. Single-word names are left out: they are also plain English words. */
const NAMES = CANONICAL_TOOLS.map((tool) => tool.name)
  .filter((name) => name.includes('_'))
  .join('|');
/** A canonical tool name. Before a bracket it is part of a policy rule, which keeps the canonical name. */
const TOOL = new RegExp(String.raw`\b(?:${NAMES})\b(?!\()`, 'gu');
const CHOICE = new RegExp(String.raw`\b(${NAMES}) (or|and) (${NAMES})\b`, 'gu');
/** Canonical arguments, which hints put in quotes. */
const ARGUMENT =
  /"(path|glob|offset|limit|depth|hidden|ignore|recursive|literal|context|replace_all|version|files|staged|stat|revision|background)"/gu;
const VALID_FORM = 'The valid form is ';
/** Lines that quote a file or the input. */
const QUOTED_LINE = /^\s*(?:\d+ \||file:|given:)/u;
/** Names of the edit fields in dialects with one edit per call. */
const EDIT_FIELDS: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/(?:edits\[0\]\.|(?<![\w./-]))old_text(?![\w/-]|\.\w)/gu, ['old_text', 'old_str', 'old_string', 'oldString']],
  [/(?:edits\[0\]\.|(?<![\w./-]))new_text(?![\w/-]|\.\w)/gu, ['new_text', 'new_str', 'new_string', 'newString']],
];
const EDIT_FORM = 'Each edit is {';

/** Returns the dialect's tool for a canonical tool: the one with the same name, else the first that uses it. */
function counterpart(dialect: Dialect, canonical: string): DialectTool | undefined {
  return (
    dialect.tools.find((tool) => tool.name === canonical && tool.uses.includes(canonical)) ?? dialect.tools.find((tool) => tool.uses[0] === canonical)
  );
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());

/** Returns a clause with the dialect's names; undefined if it recommends something the dialect does not have. */
function localizeClause(clause: string, dialect: Dialect, tool: DialectTool): string | undefined {
  let possible = true;
  let named = tool;
  const withTools = clause.replaceAll(TOOL, (name) => {
    const own = counterpart(dialect, name);
    if (own === undefined) possible = false;
    else named = own;
    return own?.name ?? name;
  });
  const fields = named.input.shape;
  const local = withTools.replaceAll(ARGUMENT, (_, name: string) => {
    const own = [name, camelCase(name)].find((one) => Object.hasOwn(fields, one));
    if (own === undefined) possible = false;
    return `"${own ?? name}"`;
  });
  return possible ? local : undefined;
}

function localizeSentence(sentence: string, dialect: Dialect, tool: DialectTool): string {
  const chosen = sentence.replaceAll(CHOICE, (_, first: string, word: string, second: string) => {
    const [one, other] = [counterpart(dialect, first), counterpart(dialect, second)];
    if (one === undefined || other === undefined) return one === undefined ? second : first;
    return one === other ? first : `${first} ${word} ${second}`;
  });
  const end = sentence.endsWith('.') ? '.' : '';
  const clauses = chosen.slice(0, chosen.length - end.length).split(/(, or |; )/u);
  let text = '';
  for (let index = 0; index < clauses.length; index += 2) {
    const clause = clauses[index] ?? '';
    const local = localizeClause(clause, dialect, tool);
    if (local === undefined) continue;
    if (text !== '') text += `${clauses[index - 1]}${local}`;
    // A clause that starts with a tool name has lost its verb.
    else if (index > 0) text = local === clause ? local.charAt(0).toUpperCase() + local.slice(1) : `Use ${local}`;
    else text = local;
  }
  return text === '' ? '' : text + end;
}

function localizeLine(line: string, dialect: Dialect, tool: DialectTool): string {
  if (line.search(TOOL) === -1 && line.search(ARGUMENT) === -1) return line;
  const sentences = line.split(/(?<=[.!?]) (?=[A-Z])/u).map((sentence) => localizeSentence(sentence, dialect, tool));
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** Replaces the names of edit fields in a text. */
function localizeFields(text: string, { input }: DialectTool): string {
  return EDIT_FIELDS.reduce((local, [canonical, names]) => {
    const own = names.find((name) => Object.hasOwn(input.shape, name));
    return own === undefined ? local : local.replace(/^edits\[0\]: /u, '').replaceAll(canonical, own);
  }, text);
}

function localizeHint(hint: string, dialect: Dialect, tool: DialectTool): string {
  if (hint.startsWith(VALID_FORM)) return `${VALID_FORM}${describeInput(tool)}`;
  return hint
    .split('\n')
    .flatMap((line) => {
      if (QUOTED_LINE.test(line)) return [line];
      if (line.startsWith(EDIT_FORM) && !Object.hasOwn(tool.input.shape, 'edits')) return [];
      const local = localizeLine(localizeFields(line, tool), dialect, tool);
      return local === '' ? [] : [local];
    })
    .join('\n');
}

function localizeNote(note: string, dialect: Dialect, tool: DialectTool): string {
  return note.startsWith('[') && note.endsWith(']') ? `[${localizeLine(note.slice(1, -1), dialect, tool)}]` : note;
}

function localizeError({ hint, ...error }: CallError, canonical: string, dialect: Dialect, tool: DialectTool): CallError {
  const message = localizeFields(
    error.message.startsWith(`${canonical}: `) ? tool.name + error.message.slice(canonical.length) : error.message,
    tool,
  );
  const local = hint === undefined ? '' : localizeHint(hint, dialect, tool);
  return { ...error, message, ...(local === '' ? {} : { hint: local }) };
}

/**
 * Rewrites the hints of a canonical result for a dialect: its tool and argument names replace the canonical ones, and
 * hints that the dialect cannot follow are removed. A model tries whatever a hint names.
 */
export function localizeHints(result: CallResult, dialect: Dialect, tool: DialectTool): CallResult {
  if (!result.ok) return { ...result, error: localizeError(result.error, result.meta.tool, dialect, tool) };
  const content = result.content.map((block) => (block.type === 'note' ? { ...block, text: localizeNote(block.text, dialect, tool) } : block));
  return { ...result, content };
}
