import { Lines } from '../lines.ts';
import { NO_FACTS, type ManifestFacts } from '../manifest.ts';

/** Python's requirements.txt. */
export function parseRequirementsTxt(text: string): ManifestFacts {
  return { ...NO_FACTS, dependencies: new Lines(text).matches(/^\s*([A-Za-z0-9][\w.-]*)/u) };
}
