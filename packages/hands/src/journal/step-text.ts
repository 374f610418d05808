import { closeSync, constants, fstatSync, openSync, readFileSync, type PathLike } from 'node:fs';
import { inodeIn, isSwap, type Step } from '../workspace/changes/step.ts';
import type { StepPowers } from './apply-step.ts';
import { isIt, look, placesIn } from './swap-entry.ts';

type Powers = Pick<StepPowers, 'areas' | 'inodeMap' | 'blobs'>;
type SetStep = Extract<Step, { kind: 'set' }>;

/** Returns the content of the file that a step puts in place (`after`) or replaces; undefined if it is too large or not kept. */
function keptBytes(powers: Powers, step: SetStep, which: 'before' | 'after', maxBytes: number): Buffer | undefined {
  const image = step[which];
  if (image?.type !== 'file' || image.size > maxBytes) return undefined;
  if (!isSwap(step)) return image.sha256 === '' ? undefined : powers.blobs.read(image.sha256);
  const { keep } = step.swap;
  const side = which === 'before' ? keep : keep === 'old' ? 'new' : 'old';
  const places = placesIn(powers, step, side);
  // Where there is one place alone, the exchange takes what is there: on an overlay that is a copy, with another number.
  const place = places.find((at) => isIt(powers, inodeIn(image), look(at))) ?? (places.length === 1 ? places[0] : undefined);
  return place === undefined ? undefined : bytesAt(place, maxBytes);
}

function bytesAt(place: PathLike, maxBytes: number): Buffer | undefined {
  try {
    const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Unreadable content counts as not kept.
    return undefined;
  }
}

/** Returns the content of the file that a step puts in place; undefined for other steps, and if it is too large or not kept. */
export function bytesAfter(powers: Powers, step: Step, maxBytes: number): Buffer | undefined {
  return step.kind === 'set' ? keptBytes(powers, step, 'after', maxBytes) : undefined;
}

/** Returns the content of the file that a step replaces; undefined for other steps, and if it is too large or not kept. */
export function bytesBefore(powers: Powers, step: Step | undefined, maxBytes: number): Buffer | undefined {
  return step?.kind === 'set' ? keptBytes(powers, step, 'before', maxBytes) : undefined;
}
