import type { GrantProposal } from '../policy/grant.ts';
import type { ApprovalRequest } from './approver.ts';
import { type DescribedTrial, describeTrial, type RequestLine, type RequestLineKind } from './describe-trial.ts';
import { visibleLines, visibleSpan } from './visible-span.ts';

/** The complete text of a question. A client shows all of it, or says what it leaves out. */
export interface DescribedRequest {
  readonly heading: string;
  /** What will happen: the command, the change as a diff, or the arguments. */
  readonly body: readonly RequestLine[];
  readonly effects: readonly string[];
  readonly reason: string;
  /** What it changed on its copy, if the question is about that. */
  readonly changed: DescribedChanges | undefined;
  /** Whether the call can be tried on a copy first. */
  readonly canTry: boolean;
  /** For each proposal: its rules, then examples of what they cover and do not cover. */
  readonly proposals: ReadonlyArray<{ readonly rules: readonly string[]; readonly covers: string; readonly doesNotCover: string }>;
}

/** What a command changed, as text. */
export interface DescribedChanges extends DescribedTrial {
  /** What happened, as a sentence: `creates branch x (git switch -c x).`, or `npm run build changed 3 files.` */
  readonly headline: string;
  /** Whether the headline contains the whole command. */
  readonly tellsCommand: boolean;
  /** How it ran, as a clause: `ran on a copy, without network`. */
  readonly ran: string;
}

/** Maximum number of examples for each side of a rule. */
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;
/** Maximum length of the beginning that examples share with the call, in characters. */
const MAX_COMMON = 30;
/** Maximum length of a value that shares its line with others, in characters. */
const MAX_SMALL = 30;
/** Maximum number of non-ASCII characters that are named. They may look like others. */
const MAX_NAMED = 12;
/** The prefix of the effect of a command that only names a path. */
const NAMES = 'names ';

const lines = (kind: RequestLineKind, text: string): RequestLine[] => {
  const mark = { plain: '', added: '+ ', removed: '- ' }[kind];
  // The line end of the last line does not start another line.
  return visibleLines(text.replace(/\r?\n$/u, '')).map((line) => ({ kind, text: `${mark}${line}` }));
};

const plain = (text: string): RequestLine => ({ kind: 'plain', text });

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arguments that are multi-line text and read better than as JSON. */
const TEXTS: Readonly<Record<string, RequestLineKind>> = { command: 'plain', code: 'plain', patch: 'plain', content: 'added' };

function describeEdits(edits: readonly unknown[]): RequestLine[] {
  return edits.flatMap((edit, index): RequestLine[] => {
    if (!isRecord(edit)) return lines('plain', JSON.stringify(edit));
    const { old_text: before, new_text: after, ...rest } = edit;
    const more = Object.entries(rest).filter(([, value]) => value !== undefined && value !== false);
    return [
      ...(edits.length > 1 ? [plain(`edit ${index + 1}:`)] : []),
      ...lines('removed', String(before)),
      ...lines('added', String(after)),
      ...(String(before).endsWith('\n') === String(after).endsWith('\n') ? [] : [plain('and the line end after it changes')]),
      ...more.map(([name, value]) => plain(`${name}: ${visibleSpan(JSON.stringify(value))}`)),
    ];
  });
}

/** Returns every argument that differs from its default, long ones last; a command comes first. */
function describeArguments({ arguments: given, defaults = [] }: ApprovalRequest): RequestLine[] {
  const short: RequestLine[] = [];
  const long: RequestLine[] = [];
  for (const [field, value] of Object.entries(given)) {
    if (defaults.includes(field)) continue;
    // Tools of other servers may accept any argument names, and these come from the model like values.
    const name = visibleSpan(field.replaceAll('\n', '⏎'));
    const kind = Object.hasOwn(TEXTS, field) ? TEXTS[field] : undefined;
    if (kind !== undefined && typeof value === 'string') long.push(...(name === 'command' ? [] : [plain(`${name}:`)]), ...lines(kind, value));
    else if (name === 'edits' && Array.isArray(value)) long.push(...describeEdits(value));
    else if (value !== undefined)
      short.push(plain(`${name}: ${visibleSpan(typeof value === 'string' ? value.replaceAll('\n', '⏎') : JSON.stringify(value))}`));
  }
  // A few small values share a line.
  const small = short.every(({ text }) => text.length <= MAX_SMALL) ? [plain(short.map(({ text }) => text).join(' · '))] : short;
  const shown = short.length === 0 ? [] : small;
  return Object.hasOwn(given, 'command') ? [...long, ...shown] : [...shown, ...long];
}

/** Names the characters that are not ASCII: letters of another script can look like those of a familiar name. */
function unusual(text: string): string | undefined {
  const found = [...new Set(text.match(/\P{ASCII}/gu) ?? [])];
  if (found.length === 0) return undefined;
  const named = found
    .slice(0, MAX_NAMED)
    .map((character) => `${visibleSpan(character)} U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return `holds characters that are not ASCII: ${named.join(', ')}${found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ''}`;
}

/** @param own the call; an example that begins with a long one is shown from its end on, where they differ */
function examples(list: readonly string[], own: string, none: string): string {
  const short = list.slice(0, MAX_EXAMPLES).map((text) => {
    const isLonger = own.length > MAX_COMMON && text.length > own.length && text.startsWith(own);
    const line = visibleSpan((isLonger ? `…${text.slice(own.length)}` : text).replaceAll('\n', '⏎'));
    return line.length > MAX_EXAMPLE_LENGTH ? `${line.slice(0, MAX_EXAMPLE_LENGTH).toWellFormed()}…` : line;
  });
  return short.length === 0 ? none : short.join(' | ');
}

/** Joins the paths that a program only names into one line, because they matter least. */
function inOneLine(effects: readonly string[]): string[] {
  const names = effects.filter((effect) => effect.startsWith(NAMES));
  const others = effects.filter((effect) => !effect.startsWith(NAMES));
  return names.length === 0 ? others : [...others, `${NAMES}${names.map((effect) => effect.slice(NAMES.length)).join(', ')}`];
}

function describeProposal({ rules, covers, doesNotCover }: GrantProposal): DescribedRequest['proposals'][number] {
  // Each rule in full: what is saved must have been shown.
  return {
    rules: rules.flatMap(visibleLines),
    covers: examples(covers.slice(1), covers[0] ?? '', 'nothing else'),
    doesNotCover: examples(doesNotCover, covers[0] ?? '', '-'),
  };
}

/** Maximum length of what changes mean in a headline, in characters, and of one sentence of it. */
const MAX_MEANING = 400;
const MAX_SENTENCE = 240;

/** What changes mean, in one line that begins with a capital letter. */
function inShort(meaning: readonly string[]): string | undefined {
  let line = '';
  let told = 0;
  for (const sentence of meaning) {
    const short = sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE).toWellFormed()}…` : sentence;
    if (told > 0 && line.length + short.length > MAX_MEANING) break;
    line += told === 0 ? short : `; ${short}`;
    told += 1;
  }
  if (told === 0) return undefined;
  const more = meaning.length - told;
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${more > 0 ? `; and ${more} more` : ''}`;
}

/** Maximum length of a command in a headline, in characters. The whole command is shown below. */
const MAX_COMMAND = 60;

function describeChanges({ arguments: { command }, changed, title }: ApprovalRequest): DescribedChanges | undefined {
  if (changed === undefined) return undefined;
  const line = visibleSpan((typeof command === 'string' ? command.trim() : title).replaceAll('\n', '⏎'));
  const short = line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND).toWellFormed()}…` : line;
  const described = describeTrial(changed);
  const means = inShort(described.meaning);
  const ran = `ran on a copy${changed.network === false ? ', without network' : ''}`;
  const tellsCommand = typeof command === 'string' && visibleSpan(command) === short;
  return { ...described, ran, tellsCommand, headline: means === undefined ? `${short} ${changed.headline}.` : `${means} (${short}).` };
}

/** Describes a question in text in which nothing is hidden. */
export function describeRequest(request: ApprovalRequest): DescribedRequest {
  const { command, path, to } = request.arguments;
  const note = unusual([command, path, to].filter((value) => typeof value === 'string').join(''));
  return {
    heading: visibleSpan(`${request.title} (${request.tool})`.replaceAll('\n', '⏎')),
    body: describeArguments(request),
    // What a command changed is shown with its changes.
    effects: [
      ...(request.changed === undefined ? inOneLine([...new Set(request.effects.map(visibleSpan))]) : []),
      ...(note === undefined ? [] : [note]),
    ],
    reason: visibleSpan(request.reason.replaceAll('\n', '⏎')),
    changed: describeChanges(request),
    canTry: request.tryOut !== undefined,
    proposals: request.proposals.map(describeProposal),
  };
}
