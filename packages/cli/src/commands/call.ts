import { SynapseError } from '@synapse/protocol';
import { CALL_ARGUMENTS, callInput } from '../input/call-input.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { flag, text } from '../command/option.ts';
import { handsOptions, json, yes } from '../command/shared-options.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { approverFor, callHere } from './on-call.ts';

export const command = defineCommand({
  details:
    'The result goes to stdout: files byte for byte, and the output of commands, all of it, while they run. Notes, progress and errors go to stderr.',
  notes:
    'Exit codes: 0 ok, 1 the tool or the command failed, 2 usage, 3 denied, 4 needs approval, 5 not found, 70 internal, 124 time-out, 130 and 143 interrupted.',
  arguments: CALL_ARGUMENTS,
  options: {
    ...handsOptions,
    branch,
    json,
    yes: { ...yes, description: 'allow the call: changes, commands, fetch, mcp' },
    dryRun: flag('show what it would do, as a diff, and do nothing'),
    remote,
    callId: text('<id>', 'with --remote: run it at most once under this id', { rare: true }),
  },
  examples: [
    ['synapse call read_file path=README.md offset=10', 'print a file'],
    ['synapse call run_command command="npm test" --yes', 'run a command, which needs a yes'],
    [`synapse call read_file '{"path":"README.md"}'`, 'the arguments as JSON'],
    ['synapse call write_file path=a.txt content=@draft.txt --yes', 'the content of a file as one of them'],
    ['synapse call mcp:github:search_issues query=crash', 'a tool of an MCP server'],
    [`synapse call run_command '{"command":"rm -r build"}' --dry-run`, 'what a command would change'],
    ['synapse call apply_patch - --allow write < change.json', 'arguments from a file'],
    [`synapse call Read '{"file_path":"README.md"}' --dialect claude-code`, 'as another system calls it'],
    [`synapse call read_file '{"path":"a.txt"}' --remote ws://127.0.0.1:7412#laptop`, 'on another machine'],
  ],
  async run(context) {
    const { arguments: words, options } = context;
    const { tool } = words;
    const given = await callInput(words.input, context);
    // Stdin that held the input cannot hold an answer.
    const call = { tool, given, options, readsStdin: words.input[0] === '-' };
    // Loaded when used: most calls are for this machine.
    if (options.remote !== undefined) {
      const { dialect: _, ...local } = handsOptions;
      refuseLocalOptions({ ...local, yes }, options);
      const { callRemote } = await import('../remote/call-remote.ts');
      return await callRemote(options.remote, { tool, given, ...options, approver: await approverFor(call, context) }, context);
    }
    if (options.callId !== undefined) throw new SynapseError('invalid_arguments', '--call-id is for --remote.', { hint: 'Leave it out.' });
    return await callHere(call, context);
  },
});
