import type { ServerContext } from '@modelcontextprotocol/server';
import type { ApprovalRequest } from '@synapse/hands';
import { afterEach, expect, it, vi } from 'vitest';
import { retryApprovals } from './ask-by-retry.ts';

const TTL_SECONDS = 300;
const request: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'write_file',
  title: 'Write a file',
  arguments: { path: 'a.txt' },
  fingerprint: 'f',
  reason: 'writes a.txt: ask by mode ask',
  effects: ['writes a.txt'],
  proposals: [],
};

/** As much of a request as the approvals look at. */
function context(state?: string, response?: object, clientId?: string): ServerContext {
  const mcpReq = { method: 'tools/call', requestState: () => state, inputResponses: response === undefined ? undefined : { approval: response } };
  return { mcpReq, ...(clientId === undefined ? {} : { http: { authInfo: { clientId } } }) } as unknown as ServerContext;
}

const yes = { action: 'accept', content: { decision: 'allow' } };
const never = new AbortController().signal;

/** A question, and what becomes of its state. */
async function asked() {
  const approvals = retryApprovals(TTL_SECONDS);
  const round = await approvals.round(context());
  expect(await round.options.approver?.ask(request, never)).toEqual({ verdict: 'later' });
  const state = (await round.question())?.requestState;
  const answer = async (to: ApprovalRequest = request): Promise<unknown> =>
    (await approvals.round(context(state, yes))).options.approver?.ask(to, never);
  return { answer };
}

afterEach(() => void vi.useRealTimers());

it('takes an answer in time, once', async () => {
  const { answer } = await asked();
  expect(await answer()).toEqual({ verdict: 'allow', scope: 'once' });
  expect(await answer()).toEqual({ verdict: 'later' });
});

it('takes none after its time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 });
  const { answer } = await asked();
  vi.setSystemTime(1_000_000_000_000 + (TTL_SECONDS - 2) * 1_000);
  const late = await asked();
  vi.setSystemTime(1_000_000_000_000 + (TTL_SECONDS + 2) * 1_000);
  await expect(answer()).rejects.toMatchObject({ code: -32602, message: 'Invalid or expired requestState.' });
  expect(await late.answer()).toEqual({ verdict: 'allow', scope: 'once' });
});

it('takes an answer from whom it asked, and from nobody else', async () => {
  const approvals = retryApprovals(TTL_SECONDS);
  const round = await approvals.round(context(undefined, undefined, 'alice'));
  await round.options.approver?.ask(request, never);
  const state = (await round.question())?.requestState;
  for (const other of ['bob', undefined]) await expect(approvals.round(context(state, yes, other))).rejects.toMatchObject({ code: -32602 });
  const own = await approvals.round(context(state, yes, 'alice'));
  expect(await own.options.approver?.ask(request, never)).toEqual({ verdict: 'allow', scope: 'once' });
});

it.each<[string, Partial<ApprovalRequest>]>([
  ['other arguments', { fingerprint: 'g' }],
  ['other effects', { effects: ['writes a.txt', 'talks to example.com'] }],
  ['another reason', { reason: 'writes a.txt: ask by another rule' }],
  ['another rule to keep', { proposals: [{ kind: 'pattern', rules: ['write_file'], covers: [], doesNotCover: [] }] }],
])('takes none for %s than were shown', async (_, other) => {
  const { answer } = await asked();
  expect(await answer({ ...request, ...other })).toEqual({ verdict: 'later' });
});
