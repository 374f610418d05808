import type { IncomingMessage } from 'node:http';

/** Bytes that all bodies together may use while they are read. */
export interface BodyBudget {
  /** Reserves bytes; returns false if too few are left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function bodyBudget(bytes: number): BodyBudget {
  let left = bytes;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
    give: (back) => void (left += back),
  };
}

/** The outcome of reading a body. */
export type ReadBody = { readonly text: string } | { readonly failed: 'too_large' | 'busy' | 'gone' };

/** Reads a body up to a limit. It stops at the first byte over the limit; the rest stays unread. */
export function readBody(request: IncomingMessage, maxBytes: number, budget: BodyBudget): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const finish = (outcome: ReadBody): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      request.pause();
      budget.give(length);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > maxBytes) finish({ failed: 'too_large' });
      else if (!budget.take(chunk.length)) finish({ failed: 'busy' });
      else {
        length += chunk.length;
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => finish({ text: Buffer.concat(chunks).toString() });
    const onGone = (): void => finish({ failed: 'gone' });
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
