import { SynapseError } from '@synapse/protocol';
import { agentOptions } from '../agent/agent-options.ts';
import { openAgentRun, tellResult } from '../agent/run-session.ts';
import { defineCommand } from '../command/command.ts';

export const command = defineCommand({
  details: 'It has the tools of this workspace. The key of the provider is read from its environment variable.',
  notes:
    'Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; SYNAPSE_API_KEY for --base-url. Exit codes: 0 done, 1 stopped or failed, 130 interrupted.',
  arguments: { '[task]': 'what to do; may be left out with --protocol' },
  options: agentOptions,
  examples: [
    ['synapse run "Why does the build fail?" -m openai/gpt-5.2', 'ask a model'],
    ['synapse run "Fix the failing test" -m anthropic/claude-sonnet-5 --allow write', 'let it edit'],
    ['synapse run "Explain src" --base-url http://127.0.0.1:11434/v1 -m qwen3', 'with a local model'],
    ['synapse run --protocol review-changes -m google/gemini-3-pro', 'follow a protocol'],
  ],
  async run(context) {
    const { options, signal } = context;
    const { task } = context.arguments;
    if (task === undefined && options.protocol === undefined) {
      throw new SynapseError('invalid_arguments', 'No task given.', { hint: 'synapse run "what to do" --model provider/name' });
    }
    await using agent = await openAgentRun(options, context);
    return tellResult(await agent.work(task, signal), options, context);
  },
});
