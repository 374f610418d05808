import { jobRequestCommand } from './on-job.ts';

export const command = jobRequestCommand({
  details: 'A detached job does not end with its session, such as that of an HTTP client. It ends with the Synapse process that runs it.',
  examples: [['synapse jobs detach job-1f0c2a9b', 'keep a server of a client that leaves']],
  request: 'detach',
  done: 'It is detached.',
});
