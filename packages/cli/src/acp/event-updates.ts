import type { SessionUpdate } from '@agentclientprotocol/sdk';
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

const said = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const thought = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });

/** Turns the events of a run into updates. */
export function eventUpdates({ queue, root, known, protocol, ended }: UpdateParts): (event: AgentEvent) => void {
  const turn = new TurnText();
  const plan = (current: number): void => {
    if (protocol !== undefined) queue.addUpdate({ sessionUpdate: 'plan', ...planOfSteps(protocol, current) });
  };
  return (event) => {
    switch (event.type) {
      case 'session':
        return plan(0);
      case 'text': {
        const text = turn.add(event.text);
        return text === '' ? undefined : queue.addUpdate(said(text));
      }
      case 'reasoning':
        return queue.addUpdate(thought(event.text));
      case 'note':
        return queue.addUpdate(thought(`${event.text}\n`));
      case 'retry':
        turn.retry();
        return queue.addUpdate(thought(`${event.reason} Retry ${event.attempt} in ${(event.waitMs / 1000).toFixed(1)} s.\n`));
      case 'usage':
        return turn.end();
      case 'step':
        return plan(event.index);
      case 'call-start': {
        const { callId, tool, input } = event;
        return queue.addUpdate({
          sessionUpdate: 'tool_call',
          toolCallId: callId,
          status: 'in_progress',
          ...describeCall({ tool, input, known: known(tool) }, root),
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
          return [{ sessionUpdate: 'tool_call_update', ...endOfCall(callId, { ok, completion, summary, ...more, output }, root) }];
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
