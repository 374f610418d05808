import { markedByOrigin } from '../prompt-files/origin-mark.ts';
import type { ReasoningProtocol } from './reasoning-protocol.ts';

/** Formats a protocol as a prompt: guidance that the model may depart from. That of a workspace is marked with its file. */
export function protocolPrompt(protocol: ReasoningProtocol): string {
  const text = guidance(protocol);
  return protocol.file === undefined ? text : `${markedByOrigin({ path: protocol.file, text }, 'guidance for this task')}\n`;
}

function guidance({ title, description, steps }: ReasoningProtocol): string {
  return [
    `# ${title}`,
    '',
    description,
    '',
    'The steps are guidance: go back, repeat or leave one out where that helps. Use the tools you have, and state nothing that you did not see.',
    ...steps.flatMap((step, index) => [
      '',
      `## Step ${index + 1} of ${steps.length}: ${step.title}${step.optional ? ' (where there is something to do)' : ''}`,
      step.instruction,
      `Brings: ${step.requiredOutput}`,
    ]),
    '',
  ].join('\n');
}
