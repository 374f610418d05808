import { findProtocol, runOffline } from '@synapse/brain';
import { SynapseError } from '@synapse/protocol';
import { agentOptions } from '../agent/agent-options.ts';
import type { RunOptions } from '../agent/agent-place.ts';
import { openAgentRun } from '../agent/open-agent-run.ts';
import { tellResult } from '../agent/tell-result.ts';
import { count, list, parsed, text } from '../command/option.ts';
import { defineCommand, type CommandContext } from '../command/command.ts';
import { openHands } from '../hands/open-hands.ts';
import { tellReport, tellStep } from '../report/tell-report.ts';

/** Runs a built-in protocol without a model. */
async function runWithoutModel(context: RunContext): Promise<number> {
  const { options, out, err, signal } = context;
  const { dialect: _, ...rest } = options;
  await using hands = await openHands(rest, context);
  const { id } = await findProtocol(hands.workspace, options.protocol ?? '');
  const made = await runOffline(hands, id, { signal, onStep: (event) => tellStep(err, event) });
  await tellReport(made, hands.workspace, { json: options.json || options.jsonl, out });
  return 0;
}

type RunContext = CommandContext<typeof ARGUMENTS, typeof RUN_OPTIONS>;

/** Lets a model work on the task. */
async function work(options: RunOptions, context: RunContext): Promise<number> {
  const { signal } = context;
  const { task } = context.arguments;
  await using agent = await openAgentRun(options, context);
  const attached = task === undefined ? undefined : await agent.attach(task, signal, context.options.image);
  for (const note of attached?.notes ?? []) context.err.write(`${note}\n`, 'dim');
  return tellResult(await agent.work(attached?.content, signal), options, context);
}

const RUN_OPTIONS = {
  ...agentOptions,
  image: list('<file>', 'attach an image or another file of the workspace; in the task: @file', { rare: true }),
  attempts: parsed('<number>', 'make several attempts in branches, and apply one', count(4)),
  check: text('<command>', 'with --attempts: ranks them, such as "npm test"', { rare: true }),
  models: list('<names>', 'with --attempts: a model for each', { rare: true }),
} as const;

const ARGUMENTS = { '[task]': 'what to do; may be left out with --protocol' } as const;

/** @throws SynapseError if the options need a task */
function assertNeedsNone({ image, protocol }: RunContext['options']): void {
  if ((image ?? []).length > 0) {
    throw new SynapseError('invalid_arguments', 'No task for --image.', {
      hint: 'A file is sent with a task: synapse run "what to do" --image FILE',
    });
  }
  if (protocol === undefined) {
    throw new SynapseError('invalid_arguments', 'No task given.', { hint: 'synapse run "what to do" --model provider/name' });
  }
}

export const command = defineCommand({
  details: 'It can use the tools of this workspace.',
  notes:
    'The key of the provider is read from its environment variable: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; SYNAPSE_API_KEY for --base-url. Exit codes: 0 done, 1 stopped or failed, 130 interrupted.',
  arguments: ARGUMENTS,
  options: RUN_OPTIONS,
  examples: [
    ['synapse run "Why does the build fail?" -m openai/gpt-5.2', 'ask a model'],
    ['synapse run "What is wrong in @src/app.ts?" -m openai/gpt-5.2', 'with a file of the workspace'],
    ['synapse run "Fix the failing test" -m anthropic/claude-sonnet-5 --allow write', 'let it edit'],
    ['synapse run "Fix the failing test" -m openai/gpt-5.2 --attempts 4 --check "npm test"', 'four attempts, of which one is applied'],
    ['synapse run "Explain src" --base-url http://127.0.0.1:11434/v1 -m qwen3', 'with a local model'],
    ['synapse run "Fix the test" -m openai/gpt-5.2 --remote wss://relay.example#laptop', 'on another machine'],
    ['synapse run --protocol review-changes -m google/gemini-3-pro', 'follow a protocol'],
    ['synapse run --protocol review-changes', 'without a model, from facts alone'],
  ],
  async run(context) {
    const { options, signal } = context;
    const { task } = context.arguments;
    if (task === undefined) assertNeedsNone(options);
    if (options.remote === undefined && task === undefined && options.model === undefined && options.baseUrl === undefined)
      return await runWithoutModel(context);
    if (options.attempts === undefined && options.models.length === 0) {
      if (options.check === undefined) return await work(options, context);
      throw new SynapseError('invalid_arguments', '--check is for --attempts.', { hint: `Add --attempts 4, or leave it out.` });
    }
    if (task === undefined) throw new SynapseError('invalid_arguments', 'No task for --attempts.', { hint: 'synapse run "what to do" --attempts 4' });
    // Loaded late: most runs are one.
    const { runAttempts } = await import('../attempts/run-attempts.ts');
    const { attemptOptions, ownAttempt, whenLeft } = await import('../attempts/own-attempt.ts');
    const own = ownAttempt();
    if (own === undefined) return await runAttempts(options, context);
    const inBranch = { ...context, signal: AbortSignal.any([signal, whenLeft(context.stdin)]) };
    if (!own.checks) return await work(attemptOptions(options, own), inBranch);
    const { runCheck } = await import('../attempts/run-check.ts');
    return await runCheck(options.check ?? '', options, inBranch);
  },
});
