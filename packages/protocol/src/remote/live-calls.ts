import { ROOM } from './channel.ts';
import { baseResult } from './base-call.ts';
import { INLINE_BYTES } from './frames.ts';
import { basePrefix, chain, emit, expectSettling, put, say, type HandsMove, type HandsState, type HandsStep, type LiveCall } from './hands-state.ts';
import { isAppended, type FinishedCall, type LedgerCall } from './ledger.ts';
import { SETTLE_MS } from './settle-times.ts';
import { EXPIRED, outputOf, refusedResult } from './own-results.ts';
import { callRefusal, grantIn, type GrantedCall } from './workspace-grant.ts';

/** Sends a result to the brain that made the call. A brain without the protocol gets the basic form, and only on its own connection. */
export const sendResult =
  (owner: string | undefined, id: string, result: FinishedCall) =>
  (state: HandsState): HandsStep => {
    const { status, bytes, sha256: hash, body } = result;
    if (!id.startsWith('base:')) {
      // On a line that is behind, the brain reads the body when it can.
      const inline = bytes <= INLINE_BYTES && state.link.channel.waitingSize < ROOM ? { body } : {};
      return say(owner, { type: 'tool_result', tool_call_id: id, status, bytes, sha256: hash, ...inline }, 'sure', isAppended(result))(state);
    }
    if (state.link.phase !== 'base' || !id.startsWith(basePrefix(state))) return [state, []];
    const callId: unknown = JSON.parse(id.slice(basePrefix(state).length));
    const text = baseResult(callId, status === 'success' ? 'success' : 'error', outputOf(body));
    return [state, [{ type: 'send', conn: state.link.conn, text }]];
  };

const ownedBy = (owner: string | undefined): { readonly owner?: string } => (owner === undefined ? {} : { owner });

const wasMade = (at: number | undefined): { readonly madeAt?: number } => (at === undefined ? {} : { madeAt: at });

/**
 * Commits a result and then sends it.
 *
 * @param madeAt of a call that was not accepted before
 */
export const finish = (id: string, hash: string, owner: string | undefined, result: FinishedCall, madeAt?: number): HandsMove => {
  const { status, bytes, sha256: of, body } = result;
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'done', result: { status, bytes, sha256: of }, ...wasMade(madeAt) }, body }),
      put(id, undefined),
      sendResult(owner, id, result),
    );
};

/** Returns the reason a device may not make a call; undefined if it may, as all may without pairing. */
export const refusalOf = ({ grants }: HandsState, owner: string | undefined, call: GrantedCall, now: number): string | undefined =>
  grants === undefined ? undefined : callRefusal(grants.get(owner ?? ''), call, now);

/** Returns the reason a call that was accepted may not run any more: its grant was narrowed, revoked or expired. */
const withdrawal = (state: HandsState, { owner, call }: LiveCall, now: number): string | undefined => refusalOf(state, owner, call, now);

/** Ends the running calls that may not run any more. Queued ones do not start. */
export const endWithdrawn =
  (now: number) =>
  (state: HandsState): HandsStep => {
    const over = [...state.live].filter(([, live]) => live.phase === 'running' && withdrawal(state, live, now) !== undefined);
    return [state, over.map(([id]) => ({ type: 'abort', id }))];
  };

/** Starts queued calls within the limits. The start is committed before the call runs. */
export const startNext =
  (now: number) =>
  (state: HandsState): HandsStep => {
    const running = [...state.live.values()].filter(({ phase }) => phase === 'running');
    const steps: HandsMove[] = [];
    for (const [id, live] of state.live) {
      const { hash, phase, call, owner } = live;
      if (phase !== 'queued') continue;
      const most = grantIn(state.grants?.get(owner ?? ''), call.workspace)?.maxRunning ?? state.maxRunning;
      const isBeside = (one: LiveCall): boolean => one.owner === owner && one.call.workspace === call.workspace;
      const refused = withdrawal(state, live, now);
      if (refused !== undefined) steps.push(finish(id, hash, owner, refusedResult(refused)));
      else if (call.startBy !== undefined && now > call.startBy) steps.push(finish(id, hash, owner, EXPIRED));
      else if (running.length < state.maxRunning && running.filter(isBeside).length < most) {
        running.push(live);
        steps.push(
          emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'started', call } }, { type: 'run', id, call, ...ownedBy(owner) }),
          put(id, { ...live, phase: 'running' }),
        );
      }
    }
    return chain(state, ...steps);
  };

interface Arrival {
  readonly owner: string | undefined;
  readonly now: number;
  readonly madeAt?: number;
  readonly length?: number;
}

/** Accepts a new call. It is committed before anything is sent or run. The brain gets `tool_accepted` if the result is late. */
export const accept = (id: string, hash: string, call: LedgerCall, { owner, now, madeAt, length = 0 }: Arrival): HandsMove => {
  const tellAt = id.startsWith('base:') ? undefined : now + SETTLE_MS;
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'accepted', call, ...wasMade(madeAt) } }),
      put(id, { hash, phase: 'queued', call, length, owner, approval: undefined, tellAt }),
      ...(tellAt === undefined ? [] : [expectSettling()]),
      startNext(now),
    );
};
