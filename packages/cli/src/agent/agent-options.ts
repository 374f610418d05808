import { branch } from '../command/branch-option.ts';
import { count, flag, parsed, rarely, text, type OptionValues } from '../command/option.ts';
import { remote } from '../remote/remote-options.ts';
import { allow, handsOptions, json, workspace, yes } from '../command/shared-options.ts';

const dollars = {
  expects: 'US dollars, such as 0.50',
  parse: (given: string): number | undefined => {
    const value = Number(given);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  },
};

/** US dollars per million tokens of input and output. */
const price = {
  expects: 'two numbers, such as 1.25,10',
  parse: (given: string): { input: number; output: number } | undefined => {
    const [input, output, ...more] = given.split(',').map(Number);
    if (input === undefined || output === undefined || more.length > 0) return undefined;
    return input >= 0 && output >= 0 ? { input, output } : undefined;
  },
};

/** Options for the model and its limits. */
export const modelOptions = {
  model: text('<name>', 'such as openai/gpt-5.2, or the name at --base-url', { short: 'm' }),
  baseUrl: text('<url>', 'a server of chat completions, such as Ollama'),
  maxCalls: parsed('<number>', 'stop after this many tool calls (default: 200)', count(20)),
  maxTokens: parsed('<number>', 'stop after this many tokens, input and output', count(100_000), { rare: true }),
  maxCost: parsed('<usd>', 'stop at this cost; needs --price', dollars, { rare: true }),
  price: parsed('<in,out>', 'US dollars per million tokens, input and output', price, { rare: true }),
  contextTokens: parsed('<number>', 'context size of the model in tokens (default: 128000)', count(128_000), { rare: true }),
  noImages: flag('the model does not support images', { rare: true }),
} as const;

/** The options of a command that runs an agent. */
export const agentOptions = {
  ...modelOptions,
  protocol: text('<id>', 'follow a protocol, such as review-changes', { short: 'p' }),
  ...rarely(handsOptions),
  workspace,
  branch,
  allow,
  yes: { ...yes, description: 'allow changing files and running commands, for this run' },
  remote,
  json,
  jsonl: flag('print each event as one line of JSON, for programs', { rare: true }),
} as const;

export type AgentOptionValues = OptionValues<typeof agentOptions>;
