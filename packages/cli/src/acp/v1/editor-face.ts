import { methods, type AgentContext, type FileSystemCapabilities } from '@agentclientprotocol/sdk';
import type { Face } from '../face.ts';
import { editorBuffers } from './editor-buffers.ts';
import { sessionUpdate, toolCall } from './updates.ts';

/**
 * An editor that speaks version 1.
 *
 * @param fs what the editor offers of its files
 */
export function editorFace(client: AgentContext, fs: FileSystemCapabilities | undefined): Face {
  return {
    async show(sessionId, shown) {
      const update = sessionUpdate(shown);
      if (update !== undefined) await client.notify(methods.client.session.update, { sessionId, update });
    },
    async ask(sessionId, { call, text, options }, signal) {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        { sessionId, toolCall: { ...toolCall(call), content: [{ type: 'content', content: { type: 'text', text } }] }, options },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return outcome.outcome === 'selected' ? outcome.optionId : undefined;
    },
    buffers: (sessionId, nameOf) => editorBuffers({ client, sessionId, fs, nameOf }),
  };
}
