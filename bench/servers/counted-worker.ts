// The Worker as deployed; its sessions report what the platform would charge.
/* oxlint-disable no-console -- workerd has no other output */
import type { ObjectState, RelayEnvironment, WorkerSocket } from '../../packages/remote/src/worker/cloudflare.ts';
import { SessionObject as Deployed } from '../../packages/remote/src/worker/session-object.ts';

export { AccountObject, default } from '../../packages/remote/src/worker.ts';

const counts = { messages: 0, rows: 0 };

/** Wraps the storage to count written rows. An alarm counts as one. */
function counting(context: ObjectState): ObjectState {
  const { storage } = context;
  const sql = {
    exec: (query: string, ...bindings: Parameters<ObjectState['storage']['sql']['exec']> extends [string, ...infer Rest] ? Rest : never) => {
      const rows = storage.sql.exec(query, ...bindings);
      // Already complete for statements without results.
      if ('rowsWritten' in rows && typeof rows.rowsWritten === 'number') counts.rows += rows.rowsWritten;
      return rows;
    },
  };
  const alarm = (): void => {
    counts.rows += 1;
  };
  return {
    storage: {
      sql,
      setAlarm: (time) => (alarm(), storage.setAlarm(time)),
      deleteAlarm: () => storage.deleteAlarm(),
    },
    acceptWebSocket: (socket) => context.acceptWebSocket(socket),
    getWebSockets: () => context.getWebSockets(),
    setWebSocketAutoResponse: (pair) => context.setWebSocketAutoResponse(pair),
    getWebSocketAutoResponseTimestamp: (socket) => context.getWebSocketAutoResponseTimestamp(socket),
  };
}

export class SessionObject extends Deployed {
  constructor(context: ObjectState, environment: RelayEnvironment) {
    super(counting(context), environment);
  }

  override async webSocketMessage(socket: WorkerSocket, message: unknown): Promise<void> {
    counts.messages += 1;
    await super.webSocketMessage(socket, message);
    if (counts.messages % 10 === 0) console.log(JSON.stringify(counts));
  }
}
