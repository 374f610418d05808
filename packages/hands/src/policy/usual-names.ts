import { PROTECTED_PLACES } from '../danger/protected-places.ts';
import { usualNames } from '../danger/usual-names.ts';
import { SECRET_PATTERNS } from './guarded-location.ts';

// Exceptions do not count: such a name is only looked at closer.
const SECRET_PLACES = SECRET_PATTERNS.filter((pattern) => !pattern.startsWith('!')).map((pattern) =>
  pattern.split('/').filter((name) => name !== ''),
);

/** Whether a folder holds no name that built-in rules are about, in whatever way it is written. False where it may. */
export const hasUsualNames = usualNames([...SECRET_PLACES, ...PROTECTED_PLACES.map(({ names }) => names)]);
