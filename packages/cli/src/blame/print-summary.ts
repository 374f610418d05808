import type { Hands } from '@synapse/hands';
import { blameFile, count, defaultStateFolder, Receipts, type BlamedLine, type NewestReceipt } from '@synapse/hands/internal';
import { isSynapseError, SynapseError, type CallResult } from '@synapse/protocol';
import { openHands, type OpeningIo } from '../hands/open-hands.ts';
import { columns } from '../output/columns.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { addedLines, parseRange, type Range } from './added-lines.ts';
import { modelFinder } from './find-model.ts';
import { summarize, type Summary } from './summarize.ts';

interface Printing extends OpeningIo {
  readonly options: { readonly workspace: string | undefined; readonly json: boolean };
  readonly out: Output;
  readonly err: Output;
  readonly signal: AbortSignal;
}

/** Maximum number of files of a range. */
const MAX_FILES = 1_000;
/** Maximum bytes of a diff, or of a file at a commit. */
const MAX_BYTES = 16 * 1024 * 1024;
const ID_CHARACTERS = 8;

/** The data of a call. @throws SynapseError if it failed */
function dataOf<Data>(result: CallResult<Data>): Data {
  if (result.ok) return result.data;
  const { code, message, hint } = result.error;
  throw new SynapseError(code, message, hint === undefined ? {} : { hint });
}

/** The lines that a range added to a file, with who wrote each. */
async function blameAdded(hands: Hands, { from, to }: Range, path: string, isAsInWorkspace: boolean, signal: AbortSignal): Promise<BlamedLine[]> {
  const { patch } = dataOf(await hands.call('git_diff', { revision: `${from}...${to}`, path, context: 0 }, { signal }));
  const added = new Set(addedLines(patch));
  const shown = isAsInWorkspace ? undefined : dataOf(await hands.call('git_show', { revision: to, path }, { signal }));
  const text = shown !== undefined && 'content' in shown ? shown.content : undefined;
  try {
    return (await blameFile(hands.workspace, defaultStateFolder(), path, text)).filter(({ line }) => added.has(line));
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    // Deleted since, or too large to be followed.
    return Array.from(added, (line) => ({ line, text: '', by: 'unknown' as const }));
  }
}

/** The lines that a range added, with who wrote each. */
async function blameRange(hands: Hands, range: Range, signal: AbortSignal): Promise<{ readonly blamed: BlamedLine[]; readonly files: number }> {
  const { files } = dataOf(await hands.call('git_diff', { revision: `${range.from}...${range.to}`, stat: true }, { signal }));
  const texts = files.filter(({ added, binary }) => !binary && (added ?? 0) > 0);
  if (texts.length > MAX_FILES)
    throw new SynapseError('too_large', `The range changes ${count(texts.length, 'file')}.`, { hint: `Name one that changes at most ${MAX_FILES}.` });
  const since = dataOf(await hands.call('git_diff', { revision: range.to, stat: true }, { signal }));
  const changed = new Set(since.files.flatMap(({ path, from }) => [path, from]));
  const blamed: BlamedLine[] = [];
  for (const { path } of texts) blamed.push(...(await blameAdded(hands, range, path, !changed.has(path), signal)));
  return { blamed, files: texts.length };
}

const share = (lines: number, all: number): string => `${Math.round((lines / Math.max(1, all)) * 100)} %`;

/** The summary as lines of a terminal. */
export function summaryText({ lines, by, agents }: Summary, tests: readonly NewestReceipt[]): string {
  const row = (name: string, amount: number, more = ''): string[][] => (amount === 0 ? [] : [[name, String(amount), share(amount, lines), more]]);
  const writers = [
    ...agents.flatMap(({ session, model, lines: amount, calls }) =>
      row(
        inLine(model ?? (session === null ? 'calls without a session' : `session ${session.slice(0, ID_CHARACTERS)}`)),
        amount,
        count(calls, 'call'),
      ),
    ),
    ...row('a person or another program', by['person-or-other']),
    ...row('before Synapse', by.before),
    ...row('not known', by.unknown),
  ];
  const ran = tests.map(({ command, exit_code: code, call }) => [
    call.slice(0, ID_CHARACTERS),
    code === 0 ? 'passed' : code === null ? 'ended by a signal' : `exit code ${code}`,
    inLine(command),
  ]);
  return `${columns(writers)}${ran.length === 0 ? '' : `\nRan on these files:\n${columns(ran)}`}`;
}

/** Prints who wrote the lines that a commit, or a range of them, added, and the commands that ran on the files as they are. */
export async function printSummary(printing: Printing, given: string): Promise<number> {
  const { options, out, err, signal } = printing;
  const range = parseRange(given);
  await using hands = await openHands({ workspace: options.workspace, maxOutput: MAX_BYTES }, printing);
  const { blamed, files } = await blameRange(hands, range, signal);
  const summary = summarize(blamed, modelFinder());
  using receipts = new Receipts(options.workspace ?? '.', defaultStateFolder());
  const tests = await receipts.validNow();
  if (options.json) printJson(out, { range: `${range.from}...${range.to}`, files, ...summary, tests });
  else if (summary.lines === 0) err.write('No lines were added.\n', 'dim');
  else {
    err.write(`${count(summary.lines, 'line')} added in ${count(files, 'file')}.\n`, 'dim');
    out.write(summaryText(summary, tests));
    if (tests.length === 0) err.write('No command ran on the files as they are.\n', 'dim');
  }
  return 0;
}
