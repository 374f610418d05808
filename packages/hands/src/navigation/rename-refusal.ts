import { SynapseError } from '@synapse/protocol';
import { wordPattern } from '../syntax/read-uses.ts';

/** Reasons that are about other methods, which would have to be renamed with this one. */
const IS_FAMILY = /no longer assignable|implements it/u;
export const isFamilyReason = (why: string): boolean => IS_FAMILY.test(why);

/** Says why a name stays. @param why with the new name only if another name may do */
export function renameRefusal(name: string, to: string, why: string): SynapseError {
  const hint = IS_FAMILY.test(why)
    ? 'Methods that belong together are renamed together, and here not all of them are in the workspace: keep the name, or change what needs it first.'
    : wordPattern(to).test(why)
      ? 'Choose another name, or change what is in the way first. edit_file and apply_patch change text as it is.'
      : 'Change what is in the way first, or use references to find the places, and apply_patch to change them as they are.';
  return new SynapseError('conflict', `${name} was not renamed to ${to}: ${why}. Nothing was changed.`, { hint });
}
