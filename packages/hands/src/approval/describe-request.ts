import type { GrantProposal } from '../policy/grant.ts';
import type { ApprovalRequest } from './approver.ts';
import { describeTrial, type DescribedTrial } from './describe-trial.ts';
import type { RequestLine, RequestLineKind } from './request-line.ts';
import { visibleLines, visibleSpan } from './visible-span.ts';

/** A question in words, complete: it is for the door to show all of it, or to say what it leaves out. */
export interface DescribedRequest {
  readonly heading: string;
  /** What will happen: the command, the change as a diff, or the arguments. */
  readonly body: readonly RequestLine[];
  readonly effects: readonly string[];
  readonly reason: string;
  /** What it changed on its copy, where that is the question. */
  readonly changed: DescribedChanges | undefined;
  /** Whether it can be tried on a copy first. */
  readonly canTry: boolean;
  /** For each proposal its rules, then what they cover and what not. */
  readonly proposals: ReadonlyArray<{ readonly rules: readonly string[]; readonly covers: string; readonly doesNotCover: string }>;
}

/** What a command changed, in words. */
export interface DescribedChanges extends DescribedTrial {
  /** What happened, in a sentence: `npm run build changed 3 files.` */
  readonly headline: string;
}

/** Examples shown of each side of a rule. */
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;
/** Characters of a value that shares its line with others. */
const MAX_SMALL = 30;
/** Characters whose looks may deceive are named, at most so many. */
const MAX_NAMED = 12;
/** How the effect of a mere mention begins. */
const NAMES = 'names ';

const lines = (kind: RequestLineKind, text: string): RequestLine[] => {
  const mark = { plain: '', added: '+ ', removed: '- ' }[kind];
  // The end of the last line begins no other.
  return visibleLines(text.replace(/\r?\n$/u, '')).map((line) => ({ kind, text: `${mark}${line}` }));
};

const plain = (text: string): RequestLine => ({ kind: 'plain', text });

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arguments that are text of their own and read better than as JSON. */
const TEXTS: Readonly<Record<string, RequestLineKind>> = { command: 'plain', patch: 'plain', content: 'added' };

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

/** Every argument, the long ones last. */
function describeArguments(given: Readonly<Record<string, unknown>>): RequestLine[] {
  const short: RequestLine[] = [];
  const long: RequestLine[] = [];
  for (const [field, value] of Object.entries(given)) {
    // Names come from the model like values, where a tool of somebody else takes any.
    const name = visibleSpan(field.replaceAll('\n', '⏎'));
    const kind = Object.hasOwn(TEXTS, field) ? TEXTS[field] : undefined;
    if (kind !== undefined && typeof value === 'string') long.push(...(name === 'command' ? [] : [plain(`${name}:`)]), ...lines(kind, value));
    else if (name === 'edits' && Array.isArray(value)) long.push(...describeEdits(value));
    else if (value !== undefined)
      short.push(plain(`${name}: ${visibleSpan(typeof value === 'string' ? value.replaceAll('\n', '⏎') : JSON.stringify(value))}`));
  }
  // A few small values need no line each.
  const small = short.every(({ text }) => text.length <= MAX_SMALL) ? [plain(short.map(({ text }) => text).join(' · '))] : short;
  const shown = short.length === 0 ? [] : small;
  return Object.hasOwn(given, 'command') ? [...long, ...shown] : [...shown, ...long];
}

/** Letters of another script can look like those of a name that one knows. */
function unusual(text: string): string | undefined {
  const found = [...new Set(text.match(/\P{ASCII}/gu) ?? [])];
  if (found.length === 0) return undefined;
  const named = found
    .slice(0, MAX_NAMED)
    .map((character) => `${visibleSpan(character)} U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return `holds characters that are not ASCII: ${named.join(', ')}${found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ''}`;
}

function examples(list: readonly string[], none: string): string {
  const short = list.slice(0, MAX_EXAMPLES).map((text) => {
    const line = visibleSpan(text.replaceAll('\n', '⏎'));
    return line.length > MAX_EXAMPLE_LENGTH ? `${line.slice(0, MAX_EXAMPLE_LENGTH).toWellFormed()}…` : line;
  });
  return short.length === 0 ? none : short.join(' | ');
}

/** What a program is only given the name of is the least of it: one line for all. */
function inOneLine(effects: readonly string[]): string[] {
  const names = effects.filter((effect) => effect.startsWith(NAMES));
  const others = effects.filter((effect) => !effect.startsWith(NAMES));
  return names.length === 0 ? others : [...others, `${NAMES}${names.map((effect) => effect.slice(NAMES.length)).join(', ')}`];
}

function describeProposal({ rules, covers, doesNotCover }: GrantProposal): DescribedRequest['proposals'][number] {
  // Each rule in full: what is saved must have been seen.
  return { rules: rules.flatMap(visibleLines), covers: examples(covers.slice(1), 'nothing else'), doesNotCover: examples(doesNotCover, '-') };
}

/** Characters of a command in a headline; all of it stands below. */
const MAX_COMMAND = 60;

function describeChanges({ arguments: { command }, changed, title }: ApprovalRequest): DescribedChanges | undefined {
  if (changed === undefined) return undefined;
  const line = visibleSpan((typeof command === 'string' ? command.trim() : title).replaceAll('\n', '⏎'));
  const short = line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND).toWellFormed()}…` : line;
  return { ...describeTrial(changed), headline: `${short} ${changed.headline}.` };
}

/** Puts a question into words in which nothing is hidden. */
export function describeRequest(request: ApprovalRequest): DescribedRequest {
  const { command, path, to } = request.arguments;
  const note = unusual([command, path, to].filter((value) => typeof value === 'string').join(''));
  return {
    heading: visibleSpan(`${request.title} (${request.tool})`.replaceAll('\n', '⏎')),
    body: describeArguments(request.arguments),
    effects: [...inOneLine(request.effects.map(visibleSpan)), ...(note === undefined ? [] : [note])],
    reason: visibleSpan(request.reason.replaceAll('\n', '⏎')),
    changed: describeChanges(request),
    canTry: request.tryOut !== undefined,
    proposals: request.proposals.map(describeProposal),
  };
}
