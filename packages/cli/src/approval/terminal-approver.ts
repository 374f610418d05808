import { describeRequest, describeTrial, type ApprovalAnswer, type ApprovalRequest, type Approver, type Trial } from '@synapse/hands';
import { toSynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { tellError } from '../report-error.ts';
import { lineReader, type LineReader } from './line-reader.ts';
import { changesFrame, effectScreen } from './effect-screen.ts';
import { parseAnswer, parseTrialAnswer } from './parse-answer.ts';
import { questionScreen, type QuestionScreen, type ScreenLine, type ScreenSize } from './question-screen.ts';

/** What was typed this soon after a question, in milliseconds, was meant for something else: nobody reads so quickly. */
const TYPED_AHEAD_MS = 250;

/** Where questions are asked. */
export interface Terminal extends Pick<CommandIo, 'stdin' | 'err'> {
  readonly size: () => ScreenSize;
}

function print(err: Terminal['err'], lines: readonly ScreenLine[]): void {
  for (const { text, style } of lines) {
    err.write(text, style);
    err.write('\n');
  }
}

/** Shows everything, a page at a time. Tells whether the end was reached; undefined where nobody is there any more. */
async function page({ err, size }: Terminal, reader: LineReader, lines: readonly ScreenLine[]): Promise<boolean | undefined> {
  const { rows } = size();
  const length = Math.max(1, rows - 2);
  for (let start = 0; start < lines.length; start += length) {
    print(err, lines.slice(start, start + length));
    if (start + length >= lines.length) return true;
    err.write(`-- lines ${start + 1} to ${start + length} of ${lines.length}; Enter goes on, q ends -- `, 'dim');
    const line = await reader.next();
    if (line === undefined) return undefined;
    if (line.trim() === 'q') return false;
  }
  return true;
}

async function denial({ err }: Terminal, reader: LineReader): Promise<ApprovalAnswer> {
  err.write('Why? The model is told (Enter for no reason): ');
  const reason = (await reader.next())?.trim() ?? '';
  return { verdict: 'deny', ...(reason === '' ? {} : { reason }) };
}

/** The next line that was typed after it was asked for; undefined where none comes any more. */
async function typed({ err }: Terminal, reader: LineReader): Promise<string | undefined> {
  for (;;) {
    err.write('> ');
    const asked = performance.now();
    const line = await reader.next();
    if (line === undefined || performance.now() - asked >= TYPED_AHEAD_MS) return line;
    err.write('That came before the question could be read. Once more.\n');
  }
}

/** Shows all of a screen. Tells whether its end was reached, now or before; undefined where nobody is there any more. */
async function viewed(terminal: Terminal, reader: LineReader, screen: QuestionScreen, seen: boolean): Promise<boolean | undefined> {
  const ended = await page(terminal, reader, screen.whole);
  if (ended === undefined) return undefined;
  print(terminal.err, screen.footer);
  return seen || ended;
}

const NOT_SEEN = 'Not all of it was shown. Look at the rest first: v, to its end.\n';
const NO_ANSWER = 'It takes one of the letters above.\n';

/** Shows what a trial changed, and asks about that. Undefined: back to the question. */
async function converseAbout(terminal: Terminal, reader: LineReader, trial: Trial): Promise<ApprovalAnswer | undefined> {
  const { err } = terminal;
  const screen = effectScreen(describeTrial(trial), terminal.size());
  let seen = !screen.cut;
  print(err, screen.lines);
  for (;;) {
    const line = await typed(terminal, reader);
    if (line === undefined) return { verdict: 'deny' };
    const answer = parseTrialAnswer(line);
    if (answer === undefined) err.write(NO_ANSWER);
    else if (answer === 'back') return undefined;
    else if (answer === 'deny') return await denial(terminal, reader);
    else if (answer === 'view') {
      const ended = await viewed(terminal, reader, screen, seen);
      if (ended === undefined) return { verdict: 'deny' };
      seen = ended;
    } else if (trial.effect.blocked !== undefined) err.write('It cannot be applied, as it says above.\n', 'yellow');
    else if (!seen) err.write(NOT_SEEN, 'yellow');
    else return { verdict: 'allow', scope: 'once', effect: trial.fingerprint };
  }
}

/** Tries the call. Undefined where that was not possible, which is told. */
async function tried({ err }: Terminal, tryOut: NonNullable<ApprovalRequest['tryOut']>, signal: AbortSignal): Promise<Trial | undefined> {
  err.write('Running it on a copy, without network ...\n', 'dim');
  try {
    return await tryOut(signal);
  } catch (error) {
    tellError(err, toSynapseError(error));
    return undefined;
  }
}

async function converse(terminal: Terminal, reader: LineReader, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
  const { err } = terminal;
  const { tryOut } = request;
  const described = describeRequest(request);
  const { changed } = described;
  const screen =
    changed === undefined ? questionScreen(described, terminal.size()) : effectScreen(changed, terminal.size(), changesFrame(described, changed));
  let seen = !screen.cut;
  print(err, screen.lines);
  for (;;) {
    const line = await typed(terminal, reader);
    if (line === undefined) return { verdict: 'deny' };
    const answer = parseAnswer(line, { proposals: request.proposals.length, canTry: tryOut !== undefined });
    if (answer === undefined) err.write(NO_ANSWER);
    else if (answer.choice === 'deny') return await denial(terminal, reader);
    else if (answer.choice === 'view') {
      const ended = await viewed(terminal, reader, screen, seen);
      if (ended === undefined) return { verdict: 'deny' };
      seen = ended;
    } else if (!seen) err.write(NOT_SEEN, 'yellow');
    else if (answer.choice === 'allow') {
      const proposal = answer.scope === 'once' ? undefined : request.proposals[answer.proposal];
      return { verdict: 'allow', scope: answer.scope, ...(proposal === undefined ? {} : { proposal }) };
    } else if (tryOut !== undefined) {
      const trial = await tried(terminal, tryOut, signal);
      const said = trial === undefined ? undefined : await converseAbout(terminal, reader, trial);
      if (said !== undefined) return said;
      print(err, screen.lines);
    }
  }
}

/** Asks the person at the terminal, in lines that they type; Ctrl+C ends the call as everywhere. */
export function terminalApprover(terminal: Terminal): Approver {
  let before: Promise<unknown> = Promise.resolve();
  return {
    name: 'terminal',
    async ask(request, signal) {
      // One question at a time: two on a screen would be answered for each other.
      const turn = before;
      const { promise: done, resolve: finish } = Promise.withResolvers<void>();
      before = done;
      await turn;
      using reader = lineReader(terminal.stdin, signal);
      try {
        return signal.aborted ? { verdict: 'deny' } : await converse(terminal, reader, request, signal);
      } finally {
        finish();
      }
    },
  };
}
