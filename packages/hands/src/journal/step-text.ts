import { closeSync, constants, fstatSync, openSync, readFileSync, type PathLike } from 'node:fs';
import type { Step } from '../workspace/changes/step.ts';
import type { StepPowers } from './apply-step.ts';
import { inodeIn, isIt, isSwap, look, placesIn } from './swap-entry.ts';

/** Returns the text of the file that a step puts in place; undefined for other steps, and if it is too large or not kept. */
export function textAfter(powers: Pick<StepPowers, 'areas' | 'inodeMap' | 'blobs'>, step: Step, maxBytes: number): string | undefined {
  if (step.kind !== 'set' || step.after?.type !== 'file') return undefined;
  if (!isSwap(step)) {
    const bytes = powers.blobs.read(step.after.sha256);
    return bytes === undefined || bytes.length > maxBytes ? undefined : bytes.toString();
  }
  const side = step.swap.keep === 'old' ? 'new' : 'old';
  const place = placesIn(powers, step, side).find((at) => isIt(powers, inodeIn(step.after), look(at)));
  return place === undefined ? undefined : textAt(place, maxBytes);
}

function textAt(place: PathLike, maxBytes: number): string | undefined {
  try {
    const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, 'utf8') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Unreadable content cannot be judged harmless.
    return undefined;
  }
}
