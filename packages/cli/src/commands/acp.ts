import { Readable, Writable } from 'node:stream';
import { modelOptions } from '../agent/agent-options.ts';
import { defineCommand } from '../command/command.ts';
import { parsed, rarely } from '../command/option.ts';
import { handsOptions } from '../command/shared-options.ts';
import { MODES, type Mode } from '@synapse/hands/policy';

const { model, baseUrl, maxCalls, contextTokens, noImages } = modelOptions;
const { workspace: _, ...hands } = handsOptions;

const MODE = {
  expects: MODES.join(', '),
  parse: (given: string): Mode | undefined => MODES.find((mode) => mode === given),
};

export const command = defineCommand({
  details: 'An editor starts it and speaks the Agent Client Protocol (ACP) with it, over stdin and stdout.',
  notes:
    'It works in the folder that the editor has open, which must be a tracked project: synapse projects add <dir>. ' +
    'The editor can choose any mode that is not looser than the configured one, or --mode. docs/acp.md shows how to configure editors.',
  options: {
    model,
    baseUrl,
    mode: parsed('<mode>', 'the mode to begin with, and the loosest one: read-only, ask, auto-edit, trusted', MODE),
    ...rarely(hands),
    allow: hands.allow,
    maxCalls,
    contextTokens,
    noImages,
  },
  examples: [
    ['synapse acp -m anthropic/claude-sonnet-5', 'with a model of a provider'],
    ['synapse acp --base-url http://127.0.0.1:11434/v1 -m qwen3', 'with a local model'],
    ['synapse acp -m openai/gpt-5.2 --mode auto-edit', 'edits run without a question'],
  ],
  async run({ options, err, stdin, signal, version }) {
    // Loaded late: it brings the SDK.
    const { serveAcp } = await import('../acp/serve-acp.ts');
    await serveAcp({
      options: { ...options, allow: options.allow ?? [] },
      version,
      err,
      input: Readable.toWeb(stdin),
      output: Writable.toWeb(process.stdout),
      signal,
    });
    return 0;
  },
});
