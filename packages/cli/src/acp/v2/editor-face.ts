import { methods, RequestPermissionOutcome, type AgentContext } from '@agentclientprotocol/sdk/experimental/v2';
import type { Face } from '../face.ts';
import { sessionUpdate, toolCall } from './updates.ts';

type Client = Pick<AgentContext, 'request' | 'notify'>;

async function progress(client: Client, sessionId: string, toolCallId: string): Promise<void> {
  try {
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' },
    });
  } catch {
    // The editor is gone, and its answer does not count any more.
  }
}

/** An editor that speaks version 2, which has no access to the files of an editor. */
export function editorFace(client: Client): Face {
  /** The calls that the editor shows as running. */
  const running = new Set<string>();
  return {
    async show(sessionId, shown) {
      if (shown.kind === 'call-start' && shown.call.status === 'in_progress') running.add(shown.call.callId);
      if (shown.kind === 'call-update' && shown.call.status !== 'in_progress') running.delete(shown.call.callId);
      await client.notify(methods.client.session.update, { sessionId, update: sessionUpdate(shown) });
    },
    async ask(sessionId, { title, text, call, options }, signal) {
      // A tool of a dialect may ask about a part of its call, which the editor would show as a call that never ends.
      const isShown = running.has(call.callId);
      try {
        const { outcome } = await client.request(
          methods.client.session.requestPermission,
          { sessionId, title, description: text, ...(isShown ? { subject: { type: 'tool_call', toolCall: toolCall(call) } } : {}), options },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        );
        return RequestPermissionOutcome.isSelected(outcome) ? outcome.optionId : undefined;
      } finally {
        // The subject of the question stays pending until an answer arrives, from any side.
        if (running.has(call.callId)) await progress(client, sessionId, call.callId);
      }
    },
    buffers: () => undefined,
  };
}
