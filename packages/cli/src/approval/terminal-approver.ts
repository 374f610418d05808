import { describeRequest, type ApprovalAnswer, type ApprovalRequest, type Approver } from '@synapse/hands';
import type { CommandContext } from '../command.ts';
import { lineReader, type LineReader } from './line-reader.ts';
import { parseAnswer } from './parse-answer.ts';
import { questionScreen, type ScreenLine, type ScreenSize } from './question-screen.ts';

/** What was typed this soon after a question, in milliseconds, was meant for something else: nobody reads so quickly. */
const TYPED_AHEAD_MS = 250;

/** Where questions are asked. */
export interface Terminal extends Pick<CommandContext, 'stdin' | 'err'> {
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

async function converse(terminal: Terminal, reader: LineReader, request: ApprovalRequest): Promise<ApprovalAnswer> {
  const { err } = terminal;
  const screen = questionScreen(describeRequest(request), terminal.size());
  let seen = !screen.cut;
  print(err, screen.lines);
  for (;;) {
    err.write('> ');
    const asked = performance.now();
    const line = await reader.next();
    if (line === undefined) return { verdict: 'deny' };
    if (performance.now() - asked < TYPED_AHEAD_MS) {
      err.write('That came before the question could be read. Once more.\n');
      continue;
    }
    const answer = parseAnswer(line, request.proposals.length);
    if (answer === undefined) err.write('It takes one of the letters above.\n');
    else if (answer.choice === 'deny') return await denial(terminal, reader);
    else if (answer.choice === 'view') {
      const ended = await page(terminal, reader, screen.whole);
      if (ended === undefined) return { verdict: 'deny' };
      seen ||= ended;
      print(err, screen.lines.slice(-4));
    } else if (!seen) err.write('Not all of it was shown. Look at the rest first: v, to its end.\n', 'yellow');
    else {
      const proposal = answer.scope === 'once' ? undefined : request.proposals[answer.proposal];
      return { verdict: 'allow', scope: answer.scope, ...(proposal === undefined ? {} : { proposal }) };
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
        return signal.aborted ? { verdict: 'deny' } : await converse(terminal, reader, request);
      } finally {
        finish();
      }
    },
  };
}
