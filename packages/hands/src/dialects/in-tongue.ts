import type { CallError, CallResult } from '@synapse/protocol';
import { describeInput } from '../describe-input.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { Dialect, DialectTool } from './dialect.ts';

/** Canonical tools as hints name them. `diagnostics` and `job` are left out: they are words of English as well. */
const NAMES = CANONICAL_TOOLS.map((tool) => tool.name)
  .filter((name) => name !== 'diagnostics' && name !== 'job')
  .join('|');
/** Before a bracket it is a rule of the policy, which knows the canonical names only. */
const TOOL = new RegExp(String.raw`\b(?:${NAMES})\b(?!\()`, 'gu');
const CHOICE = new RegExp(String.raw`\b(${NAMES}) (or|and) (${NAMES})\b`, 'gu');
/** Canonical arguments as hints name them: in quotes. */
const ARGUMENT =
  /"(path|glob|offset|limit|depth|hidden|ignore|recursive|literal|context|replace_all|version|files|staged|stat|revision|background)"/gu;
const VALID_FORM = 'The valid form is ';
/** Lines that repeat a file, or what was sent. */
const QUOTED_LINE = /^\s*(?:\d+ \||file:|given:)/u;
/** What dialects call the fields of an edit, of which there is one in a call. */
const EDIT_FIELDS: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/(?:edits\[0\]\.|(?<![\w./-]))old_text(?![\w/-]|\.\w)/gu, ['old_text', 'old_str', 'old_string', 'oldString']],
  [/(?:edits\[0\]\.|(?<![\w./-]))new_text(?![\w/-]|\.\w)/gu, ['new_text', 'new_str', 'new_string', 'newString']],
];
const EDIT_FORM = 'Each edit is {';

/** The tool of a dialect that does what a canonical one does: of the same name, or first of all by it. */
function counterpart(dialect: Dialect, canonical: string): DialectTool | undefined {
  return (
    dialect.tools.find((tool) => tool.name === canonical && tool.uses.includes(canonical)) ?? dialect.tools.find((tool) => tool.uses[0] === canonical)
  );
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());

/** A part of a sentence in the words of a dialect; undefined where it advises what the dialect has not. */
function clauseInTongue(clause: string, dialect: Dialect, tool: DialectTool): string | undefined {
  let possible = true;
  let named = tool;
  const withTools = clause.replaceAll(TOOL, (name) => {
    const own = counterpart(dialect, name);
    if (own === undefined) possible = false;
    else named = own;
    return own?.name ?? name;
  });
  const fields = named.input.shape;
  const told = withTools.replaceAll(ARGUMENT, (_, name: string) => {
    const own = [name, camelCase(name)].find((one) => Object.hasOwn(fields, one));
    if (own === undefined) possible = false;
    return `"${own ?? name}"`;
  });
  return possible ? told : undefined;
}

function sentenceInTongue(sentence: string, dialect: Dialect, tool: DialectTool): string {
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
    const told = clauseInTongue(clause, dialect, tool);
    if (told === undefined) continue;
    if (text !== '') text += `${clauses[index - 1]}${told}`;
    // What begins with a tool had its verb in the part that went.
    else if (index > 0) text = told === clause ? told.charAt(0).toUpperCase() + told.slice(1) : `Use ${told}`;
    else text = told;
  }
  return text === '' ? '' : text + end;
}

function lineInTongue(line: string, dialect: Dialect, tool: DialectTool): string {
  if (line.search(TOOL) === -1 && line.search(ARGUMENT) === -1) return line;
  const sentences = line.split(/(?<=[.!?]) (?=[A-Z])/u).map((sentence) => sentenceInTongue(sentence, dialect, tool));
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** A text with the fields of an edit as the dialect calls them. */
function fieldsInTongue(text: string, { input }: DialectTool): string {
  return EDIT_FIELDS.reduce((told, [canonical, names]) => {
    const own = names.find((name) => Object.hasOwn(input.shape, name));
    return own === undefined ? told : told.replace(/^edits\[0\]: /u, '').replaceAll(canonical, own);
  }, text);
}

function hintInTongue(hint: string, dialect: Dialect, tool: DialectTool): string {
  if (hint.startsWith(VALID_FORM)) return `${VALID_FORM}${describeInput(tool)}`;
  return hint
    .split('\n')
    .flatMap((line) => {
      if (QUOTED_LINE.test(line)) return [line];
      if (line.startsWith(EDIT_FORM) && !Object.hasOwn(tool.input.shape, 'edits')) return [];
      const told = lineInTongue(fieldsInTongue(line, tool), dialect, tool);
      return told === '' ? [] : [told];
    })
    .join('\n');
}

function noteInTongue(note: string, dialect: Dialect, tool: DialectTool): string {
  return note.startsWith('[') && note.endsWith(']') ? `[${lineInTongue(note.slice(1, -1), dialect, tool)}]` : note;
}

function errorInTongue({ hint, ...error }: CallError, canonical: string, dialect: Dialect, tool: DialectTool): CallError {
  const message = fieldsInTongue(
    error.message.startsWith(`${canonical}: `) ? tool.name + error.message.slice(canonical.length) : error.message,
    tool,
  );
  const told = hint === undefined ? '' : hintInTongue(hint, dialect, tool);
  return { ...error, message, ...(told === '' ? {} : { hint: told }) };
}

/**
 * A canonical result with its advice in the words of a dialect: a model that is told to use a tool or an
 * argument which it does not have tries just that. What the dialect cannot do is not advised.
 */
export function inTongue(result: CallResult, dialect: Dialect, tool: DialectTool): CallResult {
  if (!result.ok) return { ...result, error: errorInTongue(result.error, result.meta.tool, dialect, tool) };
  const content = result.content.map((block) => (block.type === 'note' ? { ...block, text: noteInTongue(block.text, dialect, tool) } : block));
  return { ...result, content };
}
