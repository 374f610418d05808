import { expect, it } from 'vitest';
import { canFetch, loadHttpClient } from './http-client.ts';

it('says which Node is needed, rather than fail at an import', async () => {
  await expect(loadHttpClient(canFetch({}))).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('Use Node 22.19') as string,
  });
});

it.skipIf(!canFetch())('loads where Node has what it takes', async () => {
  expect(typeof (await loadHttpClient()).fetch).toBe('function');
});
