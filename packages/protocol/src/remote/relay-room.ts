import { expects, ROOM } from './channel.ts';
import type { DataFrame } from './frames.ts';
import {
  chain,
  close,
  putParty,
  tell,
  type HeldFrame,
  type Party,
  type RelayedCall,
  type RelayState,
  type RelayStep,
  type Then,
} from './relay-state.ts';

const hasRoom = ({ channel, due }: Party): boolean => due.size === 0 && channel.waitingSize < ROOM;

/**
 * Whether the hands can take more. If not, brains have to wait: what is too much would end the connection of the machine, each time anew.
 * Hands that are away get the calls when they return.
 */
export function handsHaveRoom({ hands, parties }: RelayState): boolean {
  const party = hands === undefined ? undefined : parties.get(hands);
  return party?.conn === undefined || hasRoom(party);
}

/** Tells a brain the result of its call, now or when there is room. */
export const tellResult =
  (id: string, { owner, result }: RelayedCall): Then =>
  (state) => {
    const party = state.parties.get(owner);
    if (result === undefined || party === undefined) return [state, []];
    // Without a connection, its channel keeps what it can. Beyond that, the brain asks again when it returns.
    if (party.conn === undefined || hasRoom(party)) return tell(owner, result)(state);
    return putParty({ ...party, due: new Set(party.due).add(id) })(state);
  };

/** Whether the result of a call waits to be told. */
export const isDue = ({ parties }: RelayState, id: string): boolean => [...parties.values()].some(({ due }) => due.has(id));

/** What a party is to get of a call. */
function frameFor({ role, inst }: Party, call: RelayedCall | undefined): DataFrame | undefined {
  if (role === 'brain') return call?.owner === inst ? call.result : undefined;
  return call?.result === undefined ? (call?.cancel ?? call?.frame) : undefined;
}

/** Sends a party what is due, as far as there is room. */
const sendDueTo =
  (inst: string): Then =>
  (state) => {
    const steps: RelayStep[] = [];
    const due = new Set(state.parties.get(inst)?.due);
    let current = state;
    for (const id of due) {
      const party = current.parties.get(inst);
      if (party?.conn === undefined || party.channel.lost || party.channel.waitingSize >= ROOM) break;
      due.delete(id);
      const frame = frameFor(party, current.calls.get(id));
      if (frame === undefined) continue;
      const told = tell(inst, frame)(current);
      steps.push(told);
      [current] = told;
    }
    const party = current.parties.get(inst);
    const [next] = party === undefined ? [current] : putParty({ ...party, due })(current);
    return [next, steps.flatMap(([, effects]) => effects)];
  };

/** Sends all parties what is due, as far as there is room. */
export const sendDue: Then = (state) => {
  const waiting = [...state.parties.values()].filter(({ due, conn }) => due.size > 0 && conn !== undefined);
  return waiting.length === 0 ? [state, []] : chain(state, ...waiting.map(({ inst }) => sendDueTo(inst)));
};

/** Holds back a frame of a brain until there is room. It is not acknowledged, so a correct brain stops after one window. */
export function hold(state: RelayState, conn: number, party: Party, held: HeldFrame): RelayStep {
  const ahead = { frames: party.inbox.length, bytes: party.inbox.reduce((sum, { size }) => sum + size, 0) };
  const arrival = expects(party.channel, held.seq, held.size, ahead);
  if (arrival === 'seen') return [state, []];
  if (arrival !== 'next') return close(conn, arrival === 'gap' ? 'gap' : 'flow')(state);
  return putParty({ ...party, inbox: [...party.inbox, held] })(state);
}

/** Handles the frames that were held back, one of each brain in turn, while there is room. */
export const takeHeld =
  (handle: (state: RelayState, conn: number, party: Party, held: HeldFrame) => RelayStep): Then =>
  (state) => {
    const effects: RelayStep[1][] = [];
    let current = state;
    const next = (after: readonly string[]): Party | undefined => {
      const open = [...current.parties.values()].filter(({ conn, inbox }) => inbox.length > 0 && conn !== undefined && current.connections.has(conn));
      return open.find(({ inst }) => !after.includes(inst)) ?? open[0];
    };
    const turn: string[] = [];
    for (let party = next(turn); party !== undefined && handsHaveRoom(current); party = next(turn)) {
      if (turn.includes(party.inst)) turn.length = 0;
      turn.push(party.inst);
      const [held, ...inbox] = party.inbox;
      if (held === undefined || party.conn === undefined) break;
      const [made, more] = handle(putParty({ ...party, inbox })(current)[0], party.conn, { ...party, inbox }, held);
      current = made;
      effects.push(more);
    }
    return [current, effects.flat()];
  };
