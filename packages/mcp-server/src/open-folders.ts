import type { Server } from '@modelcontextprotocol/server';
import { fileURLToPath } from 'node:url';
import type { ServiceOptions } from './mcp-offer.ts';

/** Milliseconds until a client must have listed its open folders. */
const ROOTS_MS = 3_000;
/** From this protocol version on, servers send no requests; the client starts the server in its folder. */
const SILENT_SINCE = '2026-07-28';

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // Not a folder of this machine.
    return undefined;
  }
}

/** Returns the folders a client has open; undefined if it does not report them. */
async function rootsOf(server: Server): Promise<readonly string[] | undefined> {
  const version = server.getNegotiatedProtocolVersion();
  if (version === undefined || version >= SILENT_SINCE || server.getClientCapabilities()?.roots === undefined) return undefined;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
    return roots.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
  } catch {
    // It declares roots but does not list them: the start folder of the server remains.
    return undefined;
  }
}

/** Keeps the folder of a server in line with its client. */
export interface OpenFolders {
  /** Whether calls can be answered immediately. */
  isChosen(): boolean;
  /** Resolves when calls of this client can be answered, in a folder or by a refusal. */
  chosen(server: Server): Promise<void>;
}

/** For a server whose folder does not depend on its client. */
export const FIXED_FOLDER: OpenFolders = { isChosen: () => true, chosen: async () => {} };

export function openFolders(choose: NonNullable<ServiceOptions['chooseFolder']>): OpenFolders & { watch(server: Server): void } {
  let done = false;
  let choosing: Promise<void> | undefined;
  const chooseAnew = (server: Server): Promise<void> => {
    // In sequence: the last list of a client wins.
    const next = (choosing ?? Promise.resolve()).then(async () => {
      done = await choose(await rootsOf(server));
    });
    choosing = next.catch(() => {});
    return next;
  };
  return {
    isChosen: () => done,
    async chosen(server) {
      if (!done) await (choosing ?? chooseAnew(server));
      // The user may have added it as a project since.
      if (!done) await chooseAnew(server);
    },
    watch(server) {
      server.setNotificationHandler('notifications/roots/list_changed', async () => {
        done = false;
        await chooseAnew(server);
      });
    },
  };
}
