import { platform, release } from 'node:os';
import { DATA_RULE } from '@synapse/hands/internal';
import { markedByOrigin } from '../prompt-files/origin-mark.ts';
import type { ReasoningProtocol } from '../protocols/reasoning-protocol.ts';
import { protocolPrompt } from '../protocols/protocol-prompt.ts';
import { instructionFiles, OPERATOR_FILE, readPromptFile, SystemPromptNotFound, type PromptFile } from '../prompt-files/prompt-file.ts';

/** Options of {@link buildSystemPrompt}. */
export interface SystemPromptOptions {
  /** Path of the workspace. */
  readonly workspace: string;
  /** The name shown to the model. */
  readonly model: string;
  /** The tools as text: `toolDescriptions(hands)`. */
  readonly toolDescriptions: string;
  /** The constraints in effect, one per line: `hands.constraints()`. Default: none. */
  readonly constraints?: readonly string[];
  /** The protocol whose steps guide the model. */
  readonly protocol?: ReasoningProtocol;
  /** The working folder, whose instructions for agents are included too. Default: the workspace. */
  readonly folder?: string;
  /** Whether the workspace must have a `SYSTEM_PROMPT.md`. Default: `require`. */
  readonly operatorPrompt?: 'require' | 'optional';
  /** The project's files for agents, if the workspace is on another machine. Default: read from the workspace. */
  readonly files?: { readonly operator: PromptFile | undefined; readonly instructions: readonly PromptFile[] };
  /** The operating system that calls run on. Default: that of this machine. */
  readonly system?: string;
  /** Default: now. */
  readonly now?: Date;
}

/** A part of a system prompt. */
export interface PromptPart {
  readonly name: 'role' | 'environment' | 'constraints' | 'tools' | 'protocol' | 'instructions' | 'operator';
  readonly text: string;
}

/** Approximate characters per token of English text. */
const CHARACTERS_A_TOKEN = 4;

const ROLE = [
  'You work on a real project through the tools below. Look before you change anything, and state nothing that you did not see.',
  'When you have changed something, check it: run the tests or the program. Say plainly what you could not do.',
].join('\n');

const ofProject = (file: PromptFile): string => markedByOrigin(file, 'instructions of the project');

const operatorText = (operator: Parameters<typeof markedByOrigin>[0] | undefined): string =>
  operator === undefined || operator.text.trim() === '' ? '' : `# Operator\n\n${markedByOrigin(operator, 'words of the operator')}`;

/**
 * Returns the parts of a system prompt in order: role, environment, constraints, tools, steps of a protocol, the
 * project's instructions for agents, and the operator's prompt.
 *
 * @throws SystemPromptNotFound if the operator's prompt is required and missing
 */
export async function systemPromptParts(options: SystemPromptOptions): Promise<PromptPart[]> {
  const { workspace, model, toolDescriptions, constraints = [], protocol, folder, operatorPrompt = 'require', now = new Date() } = options;
  const { files, system = `${platform()} ${release()}` } = options;
  const operator = files === undefined ? await readPromptFile(workspace, OPERATOR_FILE) : files.operator;
  if (operator === undefined && operatorPrompt === 'require') throw new SystemPromptNotFound(`${workspace}/${OPERATOR_FILE}`);
  const instructions = files === undefined ? await instructionFiles(workspace, folder) : files.instructions;
  const environment = [
    '# Environment',
    '',
    `- Model: ${model}`,
    `- Workspace: ${workspace}. Paths in calls are relative to it, and commands run in it.`,
    `- System: ${system}`,
    `- Date: ${now.toISOString().slice(0, 10)}`,
  ];
  const parts: PromptPart[] = [
    // The constraints of hands have the rule too.
    { name: 'role', text: constraints.includes(DATA_RULE) ? ROLE : `${ROLE}\n${DATA_RULE}` },
    { name: 'environment', text: environment.join('\n') },
    { name: 'constraints', text: constraints.length === 0 ? '' : ['# Constraints', '', ...constraints.map((line) => `- ${line}`)].join('\n') },
    { name: 'tools', text: toolDescriptions.trim() === '' ? '' : `# Tools\n\n${toolDescriptions.trim()}` },
    { name: 'protocol', text: protocol === undefined ? '' : protocolPrompt(protocol).trim() },
    { name: 'instructions', text: instructions.length === 0 ? '' : ['# Instructions of the project', ...instructions.map(ofProject)].join('\n\n') },
    { name: 'operator', text: operatorText(operator) },
  ];
  return parts.filter(({ text }) => text !== '');
}

/**
 * Builds the system prompt of an agent from its environment and the workspace's `SYSTEM_PROMPT.md`.
 *
 * @throws SystemPromptNotFound if the operator's prompt is required and missing
 * @example
 * const system = await buildSystemPrompt({ workspace: hands.workspace, model: 'openai/gpt-5.2', toolDescriptions: toolDescriptions(hands) });
 */
export async function buildSystemPrompt(options: SystemPromptOptions): Promise<string> {
  const parts = await systemPromptParts(options);
  return `${parts.map(({ text }) => text).join('\n\n')}\n`;
}

/** Estimates the tokens of a text. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}
