import { expect, it } from 'vitest';
import { natsFrom } from './nats-options.ts';

const NONE = { nats: [], natsCreds: undefined, natsReplicas: undefined };

it('names NATS only where servers are named', () => {
  expect(natsFrom(NONE, { '--data': '/x' })).toBeUndefined();
  expect(natsFrom({ ...NONE, nats: ['nats://a'], natsReplicas: 1 }, { '--data': undefined })).toMatchObject({ servers: ['nats://a'], replicas: 1 });
});

it.each([
  [{ ...NONE, natsCreds: 'x' }, {}, 'are for --nats'],
  [{ ...NONE, nats: ['nats://a'] }, { '--data': '/x' }, '--nats and --data exclude each other'],
])('refuses what means nothing: %j %j', (options, others, message) => {
  expect(() => natsFrom(options, others)).toThrow(message);
});
