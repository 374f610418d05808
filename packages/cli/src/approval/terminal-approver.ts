import { type ApprovalAnswer, type ApprovalRequest, type Approver, type Trial } from '@synapse/hands';
import { ANSWERED_ELSEWHERE, describeRequest, describeTrial } from '@synapse/hands/internal';
import { toSynapseError, type FilledForm } from '@synapse/protocol';
import { tellError } from '../output/report-error.ts';
import { lineReader, type LineReader } from './line-reader.ts';
import { changesFrame, effectScreen } from './effect-screen.ts';
import { fillIn } from './fill-in.ts';
import { parseAnswer, parseTrialAnswer, type TypedAnswer } from './parse-answer.ts';
import { questionScreen, type QuestionScreen, type ScreenLine } from './question-screen.ts';
import { print, typed, type Terminal } from './terminal.ts';

/** Shows everything, one page at a time. Returns whether the end was reached; undefined at the end of the input. */
async function page({ err, size }: Terminal, reader: LineReader, lines: readonly ScreenLine[]): Promise<boolean | undefined> {
  const { rows } = size();
  const length = Math.max(1, rows - 2);
  for (let start = 0; start < lines.length; start += length) {
    print(err, lines.slice(start, start + length));
    if (start + length >= lines.length) return true;
    err.write(`-- lines ${start + 1} to ${start + length} of ${lines.length}; Enter continues, q ends -- `, 'dim');
    const line = await reader.next();
    if (line === undefined) return undefined;
    if (line.trim() === 'q') return false;
  }
  return true;
}

async function denial({ err }: Terminal, reader: LineReader): Promise<ApprovalAnswer> {
  err.write('Why? The model gets the reason (Enter for none): ');
  const reason = (await reader.next())?.trim() ?? '';
  return { verdict: 'deny', ...(reason === '' ? {} : { reason }) };
}

/** Shows a whole screen. Returns whether its end was ever reached; undefined at the end of the input. */
async function viewed(terminal: Terminal, reader: LineReader, screen: QuestionScreen, seen: boolean): Promise<boolean | undefined> {
  const ended = await page(terminal, reader, screen.whole);
  if (ended === undefined) return undefined;
  print(terminal.err, screen.footer);
  return seen || ended;
}

const NOT_SEEN = 'Not all of it was shown. Look at the rest first: v, to its end.\n';
const NO_ANSWER = 'It takes one of the letters above.\n';

/** Shows the changes of a dry run and asks about them. Undefined means: back to the question. */
async function converseAbout(terminal: Terminal, reader: LineReader, trial: Trial): Promise<ApprovalAnswer | undefined> {
  const { err } = terminal;
  const screen = effectScreen(describeTrial(trial), terminal.size());
  let seen = !screen.cut;
  print(err, screen.lines);
  for (;;) {
    const line = await typed(terminal, reader);
    if (line === undefined) return { verdict: 'later' };
    const answer = parseTrialAnswer(line);
    if (answer === undefined) err.write(NO_ANSWER);
    else if (answer === 'back') return undefined;
    else if (answer === 'deny') return await denial(terminal, reader);
    else if (answer === 'view') {
      const ended = await viewed(terminal, reader, screen, seen);
      if (ended === undefined) return { verdict: 'later' };
      seen = ended;
    } else if (trial.effect.blocked !== undefined) err.write('It cannot be applied, as it says above.\n', 'yellow');
    else if (!seen) err.write(NOT_SEEN, 'yellow');
    else return { verdict: 'allow', scope: 'once', effect: trial.fingerprint };
  }
}

/** Runs the call on a copy. Undefined if that failed; the reason is printed. */
async function tried({ err }: Terminal, tryOut: NonNullable<ApprovalRequest['tryOut']>, signal: AbortSignal): Promise<Trial | undefined> {
  err.write('Running it on a copy, without network ...\n', 'dim');
  try {
    return await tryOut(signal);
  } catch (error) {
    tellError(err, toSynapseError(error));
    return undefined;
  }
}

/** The screen of a question: of the call, or of the changes that it is about. */
function screenOf(terminal: Terminal, request: ApprovalRequest): QuestionScreen {
  const { session = true } = terminal;
  const described = describeRequest(request);
  const { changed } = described;
  if (changed === undefined) return questionScreen(described, terminal.size(), session);
  return effectScreen(changed, terminal.size(), changesFrame(described, changed, session));
}

type Allowed = Extract<TypedAnswer, { choice: 'allow' }>;

function allowed({ scope, proposal: index }: Allowed, proposals: ApprovalRequest['proposals']): ApprovalAnswer {
  const proposal = scope === 'once' ? undefined : proposals[index];
  return { verdict: 'allow', scope, ...(proposal === undefined ? {} : { proposal }) };
}

async function converse(terminal: Terminal, reader: LineReader, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
  const { err, session = true } = terminal;
  const { tryOut, proposals } = request;
  const screen = screenOf(terminal, request);
  let seen = !screen.cut && !screen.cutRules;
  /** Whether what is allowed may be in a part of the screen that was never shown. The rules are only for more than one call. */
  const isHidden = ({ scope }: Allowed): boolean => !seen && (screen.cut || scope !== 'once');
  print(err, screen.lines);
  for (;;) {
    const line = await typed(terminal, reader);
    if (line === undefined) return { verdict: 'later' };
    const answer = parseAnswer(line, { proposals: proposals.length, canTry: tryOut !== undefined, session });
    if (answer === undefined) err.write(NO_ANSWER);
    else if (answer.choice === 'deny') return await denial(terminal, reader);
    else if (answer.choice === 'view') {
      const ended = await viewed(terminal, reader, screen, seen);
      if (ended === undefined) return { verdict: 'later' };
      seen = ended;
    } else if (answer.choice === 'allow') {
      if (!isHidden(answer)) return allowed(answer, proposals);
      err.write(NOT_SEEN, 'yellow');
    } else if (tryOut !== undefined) {
      const trial = await tried(terminal, tryOut, signal);
      const said = trial === undefined ? undefined : await converseAbout(terminal, reader, trial);
      if (said !== undefined) return said;
      print(err, screen.lines);
    }
  }
}

/** Asks a person at the terminal, with typed lines. Ctrl+C ends the call. */
export function terminalApprover(terminal: Terminal): Approver {
  let before: Promise<unknown> = Promise.resolve();
  /** One question at a time: with two on a screen, an answer could go to the wrong one. */
  const inTurn = async <Answer>(signal: AbortSignal, late: Answer, ask: (reader: LineReader) => Promise<Answer>): Promise<Answer> => {
    const turn = before;
    let isShown = false;
    const work = async (): Promise<Answer> => {
      await turn;
      if (signal.aborted) return late;
      isShown = true;
      const { lines, stdin } = terminal;
      using reader = lines === undefined ? lineReader(stdin, signal) : { next: () => lines.next(signal), [Symbol.dispose]: () => undefined };
      const answer = await ask(reader);
      if (signal.aborted) terminal.err.write(signal.reason === ANSWERED_ELSEWHERE ? '\nAnswered elsewhere.\n' : '\n');
      return answer;
    };
    const asked = work();
    before = asked.catch(() => undefined);
    const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<Answer>();
    // One that waits for its turn is withdrawn at once; one that is shown ends by itself.
    const onAbort = (): void => (isShown ? undefined : withdraw(late));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([asked, withdrawn]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
  return {
    name: 'terminal',
    ask: (request, signal) => inTurn<ApprovalAnswer>(signal, { verdict: 'deny' }, (reader) => converse(terminal, reader, request, signal)),
    fill: (form, signal) => inTurn<FilledForm>(signal, { action: 'cancel' }, (reader) => fillIn(terminal, reader, form)),
  };
}
