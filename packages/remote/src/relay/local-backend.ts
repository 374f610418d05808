import { SynapseError } from '@synapse/protocol';
import { enrollMachine } from './enrollment.ts';
import type { BackendOptions, RelayBackend } from './relay-backend.ts';
import { RelayRecords } from './relay-records.ts';
import { FileStore, memoryStore } from './relay-store.ts';
import { LocalSessions } from './local-sessions.ts';

/** Options of {@link localBackend}. */
export interface LocalBackendOptions extends BackendOptions {
  /** The file for its sessions. Default: in memory only. */
  readonly file?: string | undefined;
  /** The folder for its machines and invitation. Without it, all programs of this machine may use every session. */
  readonly folder?: string | undefined;
}

/** Runs all sessions in this process. @throws SynapseError `unavailable` if the file cannot be used */
export function localBackend({ file, folder, pace, beforeEffect, onStatus }: LocalBackendOptions): RelayBackend {
  const failed = Promise.withResolvers<never>();
  let isHealthy = true;
  failed.promise.catch(() => {
    isHealthy = false;
  });
  const records = folder === undefined ? undefined : new RelayRecords(folder, onStatus);
  const sessions = new LocalSessions(file === undefined ? memoryStore() : new FileStore(file), {
    onFailure: (cause) =>
      failed.reject(
        new SynapseError('unavailable', 'The records of the relay cannot be written.', {
          hint: 'See that its disk is not full, then start it again.',
          cause,
        }),
      ),
    isEnrolled: records === undefined ? undefined : (identity) => records.isEnrolled(identity),
    isRemoved: (identity) => records?.isRemoved(identity) ?? true,
    pace,
    beforeEffect,
  });
  return {
    demandsPairing: records !== undefined,
    connect: (target, socket, audience) => sessions.connect(target, socket, audience),
    enroll: (socket) => {
      if (records !== undefined) return enrollMachine(records, socket);
      socket.close(4004, 'This relay takes no machines.');
      return { text: () => {}, closed: () => {} };
    },
    figures: () => sessions.figures(),
    isHealthy: () => isHealthy,
    failed: failed.promise,
    [Symbol.asyncDispose]: () => {
      sessions[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}
