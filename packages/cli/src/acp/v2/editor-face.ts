import { methods, RequestPermissionOutcome, type AgentContext } from '@agentclientprotocol/sdk/experimental/v2';
import type { Face } from '../face.ts';
import { sessionUpdate, toolCall } from './updates.ts';

/** An editor that speaks version 2, which has no access to the files of an editor. */
export function editorFace(client: AgentContext): Face {
  return {
    async show(sessionId, shown) {
      await client.notify(methods.client.session.update, { sessionId, update: sessionUpdate(shown) });
    },
    async ask(sessionId, { title, text, call, options }, signal) {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        { sessionId, title, description: text, subject: { type: 'tool_call', toolCall: toolCall(call) }, options },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return RequestPermissionOutcome.isSelected(outcome) ? outcome.optionId : undefined;
    },
    buffers: () => undefined,
  };
}
