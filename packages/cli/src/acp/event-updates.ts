import { randomUUID } from 'node:crypto';
import type { AgentEvent, ReasoningProtocol } from '@synapse/brain';
import { planOfSteps } from './plan-of-steps.ts';
import { describeCall, endOfCall, type EndedCall, type KnownTool } from './tool-calls.ts';
import { TurnText } from '../agent/turn-text.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Where the updates of a prompt go, and what they need to know. */
export interface UpdateParts {
  readonly queue: Pick<UpdateQueue, 'add' | 'addUpdate' | 'addOutput' | 'endOutput'>;
  readonly root: string;
  readonly known: (tool: string) => KnownTool | undefined;
  readonly protocol: ReasoningProtocol | undefined;
  /** What is known of a call that ended, beyond its event. */
  readonly ended: (callId: string, tool: string) => Promise<Pick<EndedCall, 'output' | 'images' | 'changes'>>;
}

/** Turns the events of a run into updates. */
export function eventUpdates({ queue, root, known, protocol, ended }: UpdateParts): (event: AgentEvent) => void {
  const turn = new TurnText();
  /** The message of a turn, and its thoughts. */
  let messageId: string = randomUUID();
  const plan = (current: number): void => {
    if (protocol !== undefined) queue.addUpdate({ kind: 'plan', planId: protocol.id, entries: planOfSteps(protocol, current) });
  };
  const say = (from: 'agent' | 'thought', text: string): void => queue.addUpdate({ kind: 'text', from, messageId, content: { type: 'text', text } });
  return (event) => {
    switch (event.type) {
      case 'session':
        return plan(0);
      case 'text': {
        const text = turn.add(event.text);
        return text === '' ? undefined : say('agent', text);
      }
      case 'reasoning':
        return say('thought', event.text);
      case 'note':
        return say('thought', `${event.text}\n`);
      case 'retry':
        turn.retry();
        return say('thought', `${event.reason} Retry ${event.attempt} in ${(event.waitMs / 1000).toFixed(1)} s.\n`);
      case 'usage':
        messageId = randomUUID();
        return turn.end();
      case 'step':
        return plan(event.index);
      case 'call-start': {
        const { callId, tool, input } = event;
        return queue.addUpdate({
          kind: 'call-start',
          call: { callId, status: 'in_progress', ...describeCall({ tool, input, known: known(tool) }, root) },
        });
      }
      case 'call-progress':
        return event.output === undefined ? undefined : queue.addOutput(event.callId, event.output);
      case 'call-end': {
        const { callId, tool, ok, completion, summary, error = '' } = event;
        queue.endOutput(callId);
        return queue.add(async () => {
          const more = await ended(callId, tool);
          const output = more.output === '' ? error : more.output;
          return [{ kind: 'call-update', call: endOfCall(callId, { ok, completion, summary, ...more, output }, root) }];
        });
      }
      case 'done':
        return event.result.status === 'done' ? plan(Infinity) : undefined;
      case 'approval-request':
      case 'approval-answer':
        return undefined;
      default:
        return event satisfies never;
    }
  };
}
