import { hash } from 'node:crypto';
import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { REPETITION_HINT } from '../agent/repeated-calls.ts';

/** What a model saw of a call. */
export interface AnswerText {
  readonly text: string;
  readonly isError: boolean;
}

const HINT = `\n\n[${REPETITION_HINT}]`;

/** The text of an answer. An image counts by its hash. The hint of the loop about a repeated call is no part of it. */
export function answerText(output: LanguageModelV4ToolResultPart['output']): AnswerText {
  if (output.type === 'text' || output.type === 'error-text') {
    const { value } = output;
    return { text: value.endsWith(HINT) ? value.slice(0, -HINT.length) : value, isError: output.type === 'error-text' };
  }
  if (output.type !== 'content') return { text: JSON.stringify(output), isError: output.type !== 'json' };
  const parts = output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type} ${hash('sha256', JSON.stringify(part))}]`));
  return { text: parts.join('\n'), isError: false };
}
