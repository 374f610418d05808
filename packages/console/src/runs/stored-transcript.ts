import type { SessionRecord, SessionStore } from '@synapse/brain';
import { argumentLine } from '@synapse/hands/internal';
import { Transcript } from './transcript.ts';

type Message = ReturnType<SessionStore['messages']>[number];
type Parts = Exclude<Message, { role: 'system' }>['content'];
type Result = Extract<Parts[number], { type: 'tool-result' }>;

/** Characters of an output that serve as its summary. */
const MAX_SUMMARY = 200;

/** The first line of a result. */
function summaryOf({ output }: Result): string {
  const text = output.type === 'text' || output.type === 'error-text' ? output.value : '';
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, MAX_SUMMARY).toWellFormed();
}

/** Builds the transcript of a session from its messages, whichever process made them. */
export function storedTranscript(store: SessionStore, { id, status }: Pick<SessionRecord, 'id' | 'status'>, revision: number): Transcript {
  const transcript = new Transcript(revision);
  // Ids of calls contain the id that the model gave, which can occur again in later turns.
  const calls = store.calls(id).map((call) => call.id);
  let next = 0;
  const open = new Map<string, string>();
  const callId = (given: string): string => {
    const at = calls.findIndex((call, index) => index >= next && call.endsWith(`:${given}`));
    if (at === -1) return given;
    next = at + 1;
    return calls[at] ?? given;
  };
  for (const message of store.messages(id)) {
    if (message.role === 'system') continue;
    for (const part of message.content) {
      if (part.type === 'text') transcript.add({ kind: 'text', from: message.role === 'user' ? 'user' : 'model', text: part.text });
      else if (part.type === 'reasoning') transcript.add({ kind: 'text', from: 'thought', text: part.text });
      else if (part.type === 'tool-call') {
        const call = callId(part.toolCallId);
        open.set(part.toolCallId, call);
        transcript.add({ kind: 'call', call, tool: part.toolName, args: argumentLine(part.input), status: 'running' });
      } else if (part.type === 'tool-result') {
        const ok = part.output.type !== 'error-text' && part.output.type !== 'error-json' && part.output.type !== 'execution-denied';
        transcript.endCall(open.get(part.toolCallId) ?? part.toolCallId, { status: ok ? 'ok' : 'failed', summary: summaryOf(part) });
      }
    }
  }
  if (status !== 'running') transcript.close();
  return transcript;
}
