import { SynapseError } from '@synapse/protocol';
import type { PlannedAttempt } from './attempt.ts';

/** More at once would only wait for each other. */
const MAX_ATTEMPTS = 16;

/** Attempts as a command line asks for them. */
export interface WantedAttempts {
  readonly attempts: number | undefined;
  readonly models: readonly string[];
  readonly model: string | undefined;
}

/**
 * The attempts that a command line asks for. With fewer models than attempts, the models take turns.
 *
 * @param id a part of the names of their branches
 * @throws SynapseError `invalid_arguments` for numbers and models that do not go together
 */
export function planAttempts({ attempts, models, model }: WantedAttempts, id: string): PlannedAttempt[] {
  const number = attempts ?? models.length;
  if (number > MAX_ATTEMPTS)
    throw new SynapseError('invalid_arguments', `${number} attempts are too many.`, { hint: `At most ${MAX_ATTEMPTS} work beside each other.` });
  if (models.length > number)
    throw new SynapseError('invalid_arguments', `--models names ${models.length} models for --attempts ${number}.`, {
      hint: 'Leave --attempts out: each model makes one.',
    });
  if (models.length > 0 && model !== undefined)
    throw new SynapseError('invalid_arguments', '--model and --models exclude each other.', { hint: 'Add the model to --models.' });
  return Array.from({ length: number }, (_, at) => ({
    index: at + 1,
    branch: `attempt-${id}-${at + 1}`,
    model: models.length === 0 ? model : models[at % models.length],
  }));
}
