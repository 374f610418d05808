import { jobRequestCommand } from './on-job.ts';

export const command = jobRequestCommand({
  details: 'Also ends every process that it started.',
  examples: [['synapse jobs stop job-1f0c2a9b', 'it is no longer needed']],
  request: 'stop',
  done: () => 'It has ended.',
});
