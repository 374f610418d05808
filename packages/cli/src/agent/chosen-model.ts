import { openModel, readModelName } from '@synapse/brain';
import { SynapseError } from '@synapse/protocol';
import type { RunOptions } from './agent-place.ts';

/** A model as it was named, and the server that was given for it. */
export interface NamedModel {
  readonly model: string;
  readonly baseUrl: string | undefined;
}

/** The model of a run, with the system prompt for it. */
export interface ChosenModel {
  readonly named: NamedModel;
  readonly model: Awaited<ReturnType<typeof openModel>>;
  readonly prompt: string;
}

/** Opens a model, and builds the prompt for it. */
export async function chooseModel(named: NamedModel, system: (model: string) => Promise<string>): Promise<ChosenModel> {
  const model = await openModel(named.model, { baseUrl: named.baseUrl });
  return { named, model, prompt: await system(named.model) };
}

/**
 * Returns the given options that say something about a model, such as its price.
 *
 * @throws SynapseError `invalid_arguments` if a maximum cost counts with the price of the model
 */
export function optionsOfModel({ maxCost, price, contextTokens, noImages }: RunOptions): string[] {
  if (maxCost !== undefined)
    throw new SynapseError('invalid_arguments', 'The model stays: --max-cost counts with the price of this one.', {
      hint: 'Begin a chat with the other model and its --price.',
    });
  return [
    ...(price === undefined ? [] : ['--price']),
    ...(contextTokens === undefined ? [] : ['--context-tokens']),
    ...(noImages === true ? ['--no-images'] : []),
  ];
}

/** A model by its new name. Another provider's server and key are not those of this one. */
export function modelAt(name: string, { model, baseUrl }: NamedModel): NamedModel {
  if (baseUrl === undefined) return { model: name, baseUrl };
  const keeps = readModelName(name, baseUrl).provider === readModelName(model, baseUrl).provider;
  return { model: name, baseUrl: keeps ? baseUrl : undefined };
}
