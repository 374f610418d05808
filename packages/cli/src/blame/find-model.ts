import { SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';

/** The models of sessions that Synapse ran. */
export function modelFinder(): (session: string) => string | undefined {
  using store = SessionStore.open(defaultStateFolder());
  const models = new Map(store.list().map(({ id, model }) => [id, model]));
  return (session) => models.get(session);
}
