import { jobRequestCommand } from './on-job.ts';

export const command = jobRequestCommand({
  details: 'It then ends with the Synapse process that runs it, and not with its session, such as a client of the HTTP server that leaves.',
  examples: [['synapse jobs detach job-1f0c2a9b', 'keep a server of a client that leaves']],
  request: 'detach',
  done: 'It is detached.',
});
