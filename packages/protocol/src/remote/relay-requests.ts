import { deviceOf, grantRefusal, type RemoteGrant } from './grant.ts';
import type { DataFrame, DataFrames } from './frames.ts';
import { isOnline } from './relay-greet.ts';
import { isDue, tellResult } from './relay-room.ts';
import { chain, putCall, tell, toHands, type Party, type RelayedCall, type RelayState, type RelayStep, type Then } from './relay-state.ts';

const MAX_CALLS = 1_000;
const FULL = 'Too many calls wait for this machine.';
/** Maximum waiting and running calls of a device, per concurrent call that its grant allows. */
const CALLS_PER_SLOT = 16;

/** Whether a call belongs to a party's device. */
const isOf = (call: RelayedCall | undefined, { device }: Party): boolean => call === undefined || call.device === device;

const mostOpen = (grant: RemoteGrant | undefined): number => (grant?.maxRunning ?? 0) * CALLS_PER_SLOT;

/** Counts the calls of a party's device without a result. */
const openCalls = ({ calls }: RelayState, { device }: Party, except?: string): number =>
  [...calls].filter(([id, call]) => call.device === device && call.result === undefined && id !== except).length;

/** Returns how many calls may be kept here that a party only names. One device must not take the places of the others. */
function placesLeft(state: RelayState, party: Party): number {
  const free = MAX_CALLS - state.calls.size;
  if (state.access === 'open') return free;
  const grant = state.grants?.find((one) => deviceOf(one) === party.device);
  return Math.min(free, mostOpen(grant) - openCalls(state, party));
}

/** Returns the reason a call is not forwarded; undefined if it is. The machine checks again, because it does not trust the relay. */
function callRefusal(state: RelayState, party: Party, frame: DataFrames['tool_call'], now: number): DataFrames['error'] | undefined {
  if (state.access === 'open') return undefined;
  const grant = state.grants?.find((one) => deviceOf(one) === party.device);
  const message = grantRefusal(grant, frame, now);
  if (message !== undefined) return { type: 'error', code: 'denied', message, tool_call_id: frame.id };
  if (openCalls(state, party, frame.id) < mostOpen(grant)) return undefined;
  return { type: 'error', code: 'backlog_full', message: 'Too many calls of this device wait.', tool_call_id: frame.id };
}

/** Returns a call to drop for a new one: the hands have the result too. Its brain is disconnected, or its confirmation was lost. */
function spareCall(state: RelayState): string | undefined {
  const over = [...state.calls].filter(([id, { result }]) => result !== undefined && !isDue(state, id));
  const [spare] = over.find(([, { owner }]) => state.parties.get(owner)?.conn === undefined) ?? over[0] ?? [];
  return spare;
}

/** Whether the id of a call was used for another one. */
const isReused = (known: RelayedCall | undefined, party: Party, { hash }: DataFrames['tool_call']): boolean =>
  !isOf(known, party) || (known?.frame !== undefined && known.frame.hash !== hash);

function onCall(state: RelayState, party: Party, frame: DataFrames['tool_call'], now: number): RelayStep {
  const { inst: owner, device } = party;
  const known = state.calls.get(frame.id);
  const refuse = (code: 'id_reuse' | 'backlog_full', message: string): RelayStep =>
    tell(owner, { type: 'error', code, message, tool_call_id: frame.id })(state);
  if (isReused(known, party, frame)) {
    return refuse('id_reuse', 'This id was used for another call.');
  }
  const refused = callRefusal(state, party, frame, now);
  if (refused !== undefined) return tell(owner, refused)(state);
  if (known === undefined && state.calls.size >= MAX_CALLS) {
    const spare = spareCall(state);
    if (spare === undefined) return refuse('backlog_full', FULL);
    return chain(state, putCall(spare, undefined), (current) => onCall(current, party, frame, now));
  }
  // Of a call that its brain asked about, the hands have the arguments. It is not known here whether these are the same.
  const kept = known === undefined ? frame : known.frame;
  const call: RelayedCall = { owner, device, frame: kept, result: known?.result, cancel: known?.cancel, at: known?.at ?? now };
  if (known?.result !== undefined) return chain(state, putCall(frame.id, call), tellResult(frame.id, call));
  // The brain repeats the call because it does not know its state. The hands answer.
  return chain(state, toHands(known?.cancel ?? frame), putCall(frame.id, call));
}

/** Handles a brain's query about its calls: sends the results stored here, and forwards the rest to the hands. */
function onSync(state: RelayState, party: Party, frame: DataFrames['sync'], now: number): RelayStep {
  const { inst: owner, device } = party;
  const steps: Then[] = [];
  const places = placesLeft(state, party);
  let unknown = 0;
  for (const id of frame.calls) {
    const known = state.calls.get(id);
    if (!isOf(known, party)) continue;
    if (known?.result !== undefined) steps.push(tellResult(id, { ...known, owner }));
    else unknown += 1;
    const adopted = known ?? { device, frame: undefined, result: undefined, cancel: undefined, at: now };
    if (known === undefined ? unknown <= places : known.owner !== owner) steps.push(putCall(id, { ...adopted, owner }));
  }
  // Forward it unchanged, because it may be sealed. A query without calls is from an approver that asks for pending questions.
  return chain(state, ...steps, ...(frame.brain === owner && (unknown > 0 || frame.calls.length === 0) ? [toHands(frame)] : []));
}

function onReceived(state: RelayState, party: Party, frame: DataFrames['received']): RelayStep {
  const confirmed = [frame.tool_call_id, ...(frame.also ?? [])];
  // The machine checks whose calls these are, too.
  const own = confirmed.filter((id) => state.calls.has(id) && isOf(state.calls.get(id), party));
  if (own.length === 0 && confirmed.some((id) => state.calls.has(id))) return [state, []];
  return chain(state, ...own.map((id) => putCall(id, undefined)), toHands(frame));
}

function onCancel(state: RelayState, party: Party, frame: DataFrames['cancel'], now: number): RelayStep {
  const { inst: owner, device } = party;
  const { tool_call_id: id } = frame;
  const known = state.calls.get(id);
  if (!isOf(known, party)) return [state, []];
  if (known === undefined && placesLeft(state, party) <= 0)
    return tell(owner, { type: 'error', code: 'backlog_full', message: FULL, tool_call_id: id })(state);
  const call = known ?? { device, frame: undefined, result: undefined, at: now };
  return chain(state, toHands(frame), putCall(id, { ...call, owner, cancel: frame }));
}

/** Handles a frame of a brain, with the calls that are kept for it. */
export function fromBrain(state: RelayState, party: Party, frame: DataFrame, now: number): RelayStep {
  switch (frame.type) {
    case 'tool_call':
      return onCall(state, party, frame, now);
    case 'sync':
      return onSync(state, party, frame, now);
    case 'received':
      return onReceived(state, party, frame);
    case 'cancel':
      return onCancel(state, party, frame, now);
    case 'read':
    case 'forward':
      // The answer is routed by this field, so it must name the sender.
      return frame.brain === party.inst && isOnline(state) ? toHands(frame)(state) : [state, []];
    case 'approval_decision':
      return toHands(frame)(state);
    case 'tool_accepted':
    case 'tool_progress':
    case 'tool_result':
    case 'chunk':
    case 'state':
    case 'approval_request':
    case 'peer':
    case 'error':
    default:
      return [state, []];
  }
}
