import { chain, emit, put, say, type Then } from './brain-moves.ts';
import type { FinishedCall } from './ledger.ts';
import { refusedResult } from './own-results.ts';
import { CONFIRM_MS, MAX_CONFIRMED } from './settle-times.ts';

/** Confirms the stored results. */
export const confirmAll: Then = (state) => {
  const [tool_call_id, ...also] = state.unconfirmed;
  if (tool_call_id === undefined) return [state, []];
  return say({ type: 'received', tool_call_id, ...(also.length === 0 ? {} : { also }) })({ ...state, unconfirmed: [] });
};

/** Confirms a stored result, together with others. */
export const confirm =
  (id: string): Then =>
  (state) => {
    const { unconfirmed } = state;
    if (unconfirmed.includes(id)) return [state, []];
    const next = { ...state, unconfirmed: [...unconfirmed, id] };
    if (next.unconfirmed.length >= MAX_CONFIRMED) return confirmAll(next);
    return [next, unconfirmed.length === 0 ? [{ type: 'settle', afterMs: CONFIRM_MS }] : []];
  };

/** Stores a result durably, and then lets hands forget it. */
export const complete = (id: string, result: FinishedCall): Then => {
  return (state) => {
    const call = state.calls.get(id);
    const refusal = call?.refusal;
    // The machine did not start it, so the refusal was true.
    const told = refusal !== undefined && result.status === 'cancelled' ? refusedResult(refusal) : result;
    return chain(state, put(id, undefined), emit({ type: 'deliver', id, call, result: told }), confirm(id));
  };
};
