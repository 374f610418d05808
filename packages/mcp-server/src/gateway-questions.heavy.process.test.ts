import type { Client, ElicitRequestParams, ElicitResult, VersionNegotiationMode } from '@modelcontextprotocol/client';
import { openWindow } from '@synapse/hands/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYTHING, gatewayClient } from './fixtures/gateway-client.ts';

const opened: Client[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((client) => client.close()))));

/** A client whose person answers so, and what that person was asked. */
async function asked(
  mode: VersionNegotiationMode,
  answer: (params: ElicitRequestParams) => ElicitResult | Promise<ElicitResult>,
  elicitation: { form?: Record<string, never>; url?: Record<string, never> } | false = { form: {}, url: {} },
  prepare: (stateFolder: string) => Promise<void> = async () => {},
): Promise<{ call: (name: string, input?: Record<string, unknown>) => Promise<string>; questions: ElicitRequestParams[]; client: Client }> {
  const questions: ElicitRequestParams[] = [];
  const client = await gatewayClient(
    { everything: EVERYTHING },
    { mode, client: elicitation === false ? {} : { capabilities: { elicitation } } },
    async (one, stateFolder) => {
      await prepare(stateFolder);
      if (elicitation === false) return;
      one.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params);
        return await answer(params);
      });
    },
  );
  opened.push(client);
  await client.listTools();
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name: `mcp__everything__${name}`, arguments: input });
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  };
  return { call, questions, client };
}

const URL_CALL = { url: 'https://example.com/pay?id=1', message: 'Please pay.' };

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a server that asks, behind a client of %s', (_, mode) => {
  it('gets what the person fills in, who sees which server asks', async () => {
    const { call, questions } = await asked(mode, () => ({
      action: 'accept',
      content: { name: 'Ada', check: true, integer: 7, untitledSingleSelectEnum: 'Monica' },
    }));
    const said = await call('trigger-elicitation-request');
    expect(said).toContain('Name: Ada');
    expect(questions).toHaveLength(1);
    const [question] = questions;
    expect(question?.message).toBe(
      'The MCP server everything asks (for mcp:everything:trigger-elicitation-request):\n> Please provide inputs for the following fields:',
    );
    expect(question).toMatchObject({
      requestedSchema: {
        required: ['name'],
        properties: {
          email: { type: 'string', format: 'email' },
          check: { type: 'boolean' },
          untitledSingleSelectEnum: { type: 'string', enum: expect.arrayContaining(['Monica']) as string[] },
          untitledMultipleSelectEnum: { type: 'array', items: { enum: expect.any(Array) as string[] } },
          titledSingleSelectEnum: { oneOf: expect.any(Array) as object[] },
        },
      },
    });
  });

  it.each(['decline', 'cancel'] as const)('learns that the person says %s', async (action) => {
    const { call } = await asked(mode, () => ({ action }));
    const said = await call('trigger-elicitation-request');
    expect(said).toContain(action === 'decline' ? 'User declined' : 'User cancelled');
    expect(said.includes('was not answered')).toBe(action === 'cancel');
  });

  it('sends the person to a page, whose host is said', async () => {
    const { call, questions } = await asked(mode, () => ({ action: 'accept' }));
    expect(await call('trigger-url-elicitation', URL_CALL)).toContain('User completed');
    expect(questions).toMatchObject([
      {
        mode: 'url',
        url: URL_CALL.url,
        message: expect.stringMatching(/everything wants you to open a page of example\.com .*\n> Please pay\./u) as string,
      },
    ]);
  });

  it('sends the person to a page that its error names, and says to repeat the call', async () => {
    const { call, questions } = await asked(mode, () => ({ action: 'accept' }));
    const said = await call('trigger-url-elicitation', { ...URL_CALL, errorPath: true });
    expect(said).toContain('finish something on a page first');
    expect(questions).toMatchObject([{ mode: 'url', url: 'https://modelcontextprotocol.io/' }]);
    expect(await call('trigger-url-elicitation', { ...URL_CALL, errorPath: true })).toContain('User completed');
  });

  it('never sends a person to what is no page of the web', async () => {
    const { call, questions } = await asked(mode, () => ({ action: 'accept' }));
    for (const url of [
      'http://example.com/',
      'https://user:pw@example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://example.com/\u202E',
    ]) {
      expect(await call('trigger-url-elicitation', { ...URL_CALL, url })).not.toContain('User completed');
    }
    expect(questions).toEqual([]);
  });

  it('is not answered where the client cannot ask, and the model reads why', async () => {
    const { call } = await asked(mode, () => ({ action: 'accept' }), false);
    const said = await call('trigger-elicitation-request');
    expect(said).toContain('was not answered: "Please provide inputs for the following fields:"');
    const forms = await asked(mode, () => ({ action: 'accept', content: { name: 'Ada' } }), { form: {} });
    expect(await forms.call('trigger-url-elicitation', URL_CALL)).toContain('was not answered');
    expect(forms.questions).toEqual([]);
  });

  it.each([
    ['forms alone', { form: {} }, ['form'], ['page']],
    ['pages alone', { url: {} }, ['url'], ['form']],
    ['both', { form: {}, url: {} }, ['form', 'url'], []],
    ['neither', false, [], ['form', 'page']],
  ] as const)('of %s gets those, and an open console the others', async (_, elicitation, here, there) => {
    const inWindow: string[] = [];
    const fillForm: Parameters<typeof openWindow>[1]['fillForm'] = async ({ form }) => {
      inWindow.push(form.url === undefined ? 'form' : 'page');
      return { action: 'accept', content: form.url === undefined ? { name: 'Grace' } : {} };
    };
    const answer = (): ElicitResult => ({ action: 'accept', content: { name: 'Grace' } });
    let window: AsyncDisposable | undefined;
    const { call, questions } = await asked(mode, answer, elicitation, async (state) => {
      window = await openWindow(state, { answer: async () => ({ verdict: 'later' }), fillForm });
    });
    expect(await call('trigger-elicitation-request')).toContain('Name: Grace');
    expect(await call('trigger-url-elicitation', URL_CALL)).toContain('User completed');
    expect(questions.map(({ mode: kind = 'form' }) => kind)).toEqual(here);
    expect(inWindow).toEqual(there);
    await window?.[Symbol.asyncDispose]();
  });

  it('is not told what does not fit its fields', async () => {
    const { call } = await asked(mode, () => ({ action: 'accept', content: { name: 'Ada', integer: 7_000, stranger: 'x' } }));
    expect(await call('trigger-elicitation-request')).toContain('was not answered');
  });
});

it('runs a call of a client of 2026-07-28 once, however long its person takes', async () => {
  const release = Promise.withResolvers<void>();
  const { call, client, questions } = await asked({ pin: '2026-07-28' }, async () => {
    await release.promise;
    return { action: 'accept', content: { name: 'Ada' } };
  });
  const answering = call('trigger-elicitation-request');
  await expect.poll(() => questions.length).toBe(1);
  // Others go on meanwhile.
  const { content } = await client.callTool({ name: 'mcp__everything__echo', arguments: { message: 'hello' } });
  expect(content[1]).toMatchObject({ type: 'text', text: 'Echo: hello' });
  release.resolve();
  expect(await answering).toContain('Name: Ada');
  expect(questions).toHaveLength(1);
});
