import { methods, type AgentContext, type FileSystemCapabilities } from '@agentclientprotocol/sdk';
import type { FileBuffers, ShownByEditor } from '@synapse/hands';
import { until } from '@synapse/hands/internal';

/** How long an editor may take to tell a text, and to save one, in milliseconds. It may ask its person before it saves. */
const READ_MS = 2_000;
const WRITE_MS = 8_000;
/** How long an editor that did not tell a text is not asked again, in milliseconds: about ten calls of a model. */
const SILENT_MS = 30_000;

interface Editor {
  readonly client: Pick<AgentContext, 'request'>;
  readonly sessionId: string;
  readonly fs: FileSystemCapabilities | undefined;
  /** The path of a file as the editor names it. */
  readonly nameOf: (path: string) => string;
}

/** Waits for an answer, for a time and until the signal. */
async function within<T>(work: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`It did not answer within ${milliseconds / 1000} s.`)), milliseconds);
  try {
    return await until(work, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** A request that ends with either signal, whether or not the editor still answers. */
const cancelledBy = (...signals: AbortSignal[]) => ({ cancellationSignal: AbortSignal.any(signals), stopWaitingOnCancel: true });

/** The unsaved texts of an editor, if it tells them. After an overdue answer it is not asked for a while: each call would wait in vain. */
export function editorBuffers({ client, sessionId, fs, nameOf }: Editor): FileBuffers | undefined {
  if (fs?.readTextFile !== true) return undefined;
  let silentUntil = Number.NEGATIVE_INFINITY;
  const read = async (file: string, signal: AbortSignal): Promise<ShownByEditor> => {
    signal.throwIfAborted();
    if (performance.now() < silentUntil) return 'silent';
    const ending = new AbortController();
    const answer = client.request(methods.client.fs.readTextFile, { sessionId, path: nameOf(file) }, cancelledBy(signal, ending.signal)).then(
      ({ content }): ShownByEditor => ({ text: content }),
      // Such as a file that the editor does not open.
      (): ShownByEditor => 'nothing',
    );
    try {
      const told = await within(answer, READ_MS, signal);
      signal.throwIfAborted();
      return told;
    } catch {
      signal.throwIfAborted();
      silentUntil = performance.now() + SILENT_MS;
      return 'silent';
    } finally {
      ending.abort();
    }
  };
  const write = async (file: string, content: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const ending = new AbortController();
    const answer = client.request(methods.client.fs.writeTextFile, { sessionId, path: nameOf(file), content }, cancelledBy(signal, ending.signal));
    answer.catch(() => undefined);
    try {
      await within(answer, WRITE_MS, signal);
    } finally {
      ending.abort();
    }
  };
  return { read, write: fs.writeTextFile === true ? write : undefined };
}
