import { createHands, type Hands } from '@synapse/hands';
import { SessionStore } from '@synapse/brain';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILES } from '../providers/scenario.ts';

/** A workspace with a few files, hands on it, and a session store. */
export interface AgentPlace extends AsyncDisposable {
  readonly hands: Hands;
  readonly folder: string;
  /** The state folder. */
  readonly state: string;
  readonly store: SessionStore;
}

export async function openAgentPlace(): Promise<AgentPlace> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-agent-')));
  const folder = join(base, 'workspace');
  await mkdir(folder);
  for (const [path, content] of Object.entries(FILES)) await writeFile(join(folder, path), content);
  const hands = await createHands({ workspace: folder, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
  const store = SessionStore.open(join(base, 'state'));
  return {
    hands,
    folder,
    state: join(base, 'state'),
    store,
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await hands[Symbol.asyncDispose]();
    },
  };
}
