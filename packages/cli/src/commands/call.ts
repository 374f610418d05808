import { ERROR_CODES, type CallResult, type CallSuccess } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import { CALL_ARGUMENTS, callInput } from '../call-input.ts';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { handsOptions, json, yes } from '../command/shared-options.ts';
import { exitCode } from '../exit-code.ts';
import { openHands } from '../open-hands.ts';
import type { DialectHands, DialectResult } from '@synapse/hands';
import { sizeOf, type Output } from '../output.ts';
import { tellError } from '../report-error.ts';
import { statusLine } from '../status-line.ts';
import { visibleJson } from '../visible-text.ts';

/** The body of an answer, exactly; texts that do not end their line are kept apart. */
function bodyOf(result: CallSuccess): string {
  let body = '';
  for (const block of result.content) {
    if (block.type !== 'text') continue;
    if (body !== '' && !body.endsWith('\n')) body += '\n';
    body += block.text;
  }
  return body;
}

function printSuccess(result: CallSuccess, out: Output, err: Output, verbatim: boolean): void {
  const body = bodyOf(result);
  out.write(body);
  // Whoever reads lines from a pipe would lose the last one.
  if ((out.isTerminal || !verbatim) && body !== '' && !body.endsWith('\n')) out.write('\n');
  for (const block of result.content) {
    if (block.type === 'note') err.write(`${block.text}\n`, 'dim');
    if (block.type === 'image') err.write(`[An image, ${block.mimeType}: --json prints its data.]\n`, 'dim');
  }
}

function printJson(result: CallResult | DialectResult, out: Output): void {
  out.write(`${out.isTerminal ? visibleJson(JSON.stringify(result, null, 2)) : JSON.stringify(result)}\n`);
}

interface Speaking extends Pick<CommandIo, 'out' | 'err' | 'signal'> {
  readonly options: { readonly json: boolean; readonly dryRun: boolean };
}

/** Runs one tool of another system. What it answers goes to stdout, errors too: they are a part of what it says. */
async function speak(dialect: DialectHands, tool: string, input: unknown, { options, out, err, signal }: Speaking): Promise<number> {
  let answer: DialectResult;
  {
    using status = statusLine(err);
    answer = await dialect.call(tool, input, { signal, onProgress: status.show, dryRun: options.dryRun });
  }
  const { output, isError, result } = answer;
  if (options.json) printJson(answer, out);
  else out.write(out.isTerminal && output !== '' && !output.endsWith('\n') ? `${output}\n` : output);
  // The words of another system have none for what was only tried.
  if (options.dryRun && !options.json && result.ok) printSuccess(result, err, err, false);
  if (!isError) return result.ok ? exitCode(result) : 0;
  return result.ok ? ERROR_CODES.tool_failed.exitCode : exitCode(result);
}

export const command = defineCommand({
  details: 'The body of the answer goes to stdout, files and what commands print to the byte; notes, progress and errors go to stderr.',
  notes:
    'Exit codes: 0 ok, 1 the tool or the command failed, 2 usage, 3 denied, 4 needs approval, 5 not found, 70 internal, 124 time-out, 130 and 143 interrupted.',
  arguments: CALL_ARGUMENTS,
  options: {
    ...handsOptions,
    json,
    yes: { ...yes, description: 'allow changing files and running commands, for this run' },
    dryRun: flag('show what it would do, as a diff, and do nothing'),
  },
  examples: [
    [`synapse call read_file '{"path":"README.md"}'`, 'print a file'],
    [`synapse call run_command '{"command":"npm test"}' --yes`, 'run a command, which needs a yes'],
    [`synapse call mcp:github:search_issues '{"query":"crash"}'`, 'a tool of an MCP server'],
    [`synapse call run_command '{"command":"rm -r build"}' --dry-run`, 'what a command would change'],
    ['synapse call apply_patch - --allow write < change.json', 'arguments from a file'],
    [`synapse call Read '{"file_path":"README.md"}' --dialect claude-code`, 'as another system calls it'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    const { tool } = words;
    const input = await callInput(words.input, context);
    // A person who said yes to everything is not asked; where stdin was the input, nothing can be typed there.
    const asks = context.stdin.isTTY && err.isTerminal && !options.yes && words.input !== '-';
    const size = (): ScreenSize => sizeOf(process.stderr);
    const approver = asks ? terminalApprover({ stdin: context.stdin, err, size }) : undefined;
    await using hands = await openHands(options, err, approver, { connect: 'demand' });
    if (options.dialect !== undefined) return await speak(hands.dialect(options.dialect), tool, input, context);
    let result: CallResult;
    {
      using status = statusLine(err);
      // The process ends with the call, and with it everything that would go on.
      result = await hands.call(tool, input, { foreground: true, signal, onProgress: status.show, dryRun: options.dryRun });
    }
    if (options.json) printJson(result, out);
    else if (result.ok)
      printSuccess(
        result,
        out,
        err,
        hands.tools().some(({ name, verbatim }) => name === tool && verbatim === true),
      );
    else tellError(err, result.error);
    return exitCode(result);
  },
});
