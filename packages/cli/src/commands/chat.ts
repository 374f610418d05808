import { agentOptions } from '../agent/agent-options.ts';
import { defineCommand } from '../command/command.ts';

export const command = defineCommand({
  details: 'Type on while the model works: it reads that after its current step. Ctrl-C stops the step, twice ends; so does Ctrl-D.',
  notes:
    'In the chat: /help, /model, /compact, /clear, /todo, /changes, /undo, /approve, /quit. @path attaches a file of the workspace, or an image.',
  options: agentOptions,
  examples: [
    ['synapse chat -m openai/gpt-5.2', 'with a model of a provider'],
    ['synapse chat --base-url http://127.0.0.1:11434/v1 -m qwen3 --allow write', 'with a local one that may edit'],
  ],
  async run(context) {
    const { chat } = await import('../chat/chat.ts');
    return await chat(context.options, context);
  },
});
