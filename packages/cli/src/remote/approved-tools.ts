import { nearest } from '@synapse/hands/internal';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { SynapseError } from '@synapse/protocol';
import { namesTool } from '@synapse/protocol/remote';

/** The names that questions have. Undoing is not a tool of models, but asks as one. */
const NAMES = [...CANONICAL_TOOLS.map(({ name }) => name), 'undo'];

/**
 * Checks the tools whose calls a device may approve.
 *
 * @throws SynapseError `invalid_arguments` for a name without effect, such as one of a dialect: a question names the tool that runs
 */
export function checkApprovedTools(approves: readonly string[]): readonly string[] {
  const isKnown = (given: string): boolean => given.startsWith('mcp:') || NAMES.some((name) => namesTool([given], name));
  const wrong = approves.find((given) => !isKnown(given));
  if (wrong === undefined) return approves;
  const near = nearest(wrong.slice(wrong.lastIndexOf(':') + 1), NAMES);
  throw new SynapseError('invalid_arguments', `--approves does not know ${JSON.stringify(wrong.slice(0, 40))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}It takes the tools that run, whatever a dialect calls them: ${NAMES.join(', ')}, mcp:….`,
  });
}
