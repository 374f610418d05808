import { listProtocols, runsOffline } from '@synapse/brain';
import { queryAudit } from '@synapse/hands/internal';
import type { ConsoleProtocolInfo } from '@synapse/protocol/console';
import { timelineOf } from '../runs/timeline.ts';
import type { Handlers } from './method.ts';

/** Suggested models by provider, shown if the provider's key is set. */
const MODELS: ReadonlyArray<readonly [variables: readonly string[], model: string]> = [
  [['ANTHROPIC_API_KEY'], 'anthropic/claude-sonnet-5'],
  [['OPENAI_API_KEY'], 'openai/gpt-5.2'],
  [['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'], 'google/gemini-3-pro'],
];

export const runs: Handlers<'runs'> = {
  'runs.protocols': async (_, { project }) => {
    const models = MODELS.filter(([variables]) => variables.some((name) => (process.env[name] ?? '') !== '')).map(([, model]) => model);
    const { protocols, problems } = await listProtocols(project.root);
    return {
      protocols: protocols.map(({ id, title, description, steps }): ConsoleProtocolInfo => ({
        id,
        title,
        description,
        steps: steps.length,
        offline: runsOffline(id),
      })),
      models,
      ...(problems.size === 0 ? {} : { problem: Array.from(problems.values(), ({ message }) => message).join('\n') }),
    };
  },
  'runs.start': (start, { project }) => project.runs.start(start),
  'runs.transcript': ({ id, end, since }, { project }) => project.runs.transcript(id, end, since),
  'runs.timeline': ({ id, before }, { project }) =>
    timelineOf(queryAudit(project.stateFolder, project.root, { session: project.runs.sessionOf(id) }), project.defaultsOf, before),
  'runs.say': ({ id, text }, { project }) => {
    project.runs.say(id, text);
    return { message: 'The model reads it before its next turn.' };
  },
  'runs.hold': ({ id }, { project }) => {
    project.runs.hold(id);
    return { message: 'Paused before its next call.' };
  },
  'runs.resume': ({ id }, { project }) => {
    project.runs.resume(id);
    return { message: 'It continues.' };
  },
  'runs.stop': ({ id }, { project }) => {
    project.runs.stop(id);
    return { message: 'Stopped.' };
  },
  'runs.retry': ({ id }, { project }) => project.runs.retry(id),
};
