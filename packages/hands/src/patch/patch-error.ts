import { SynapseError } from '@synapse/protocol';

/** The two forms of a patch, in short. */
const FORMS = [
  'A patch has one of two forms:',
  '*** Begin Patch\n*** Update File: src/a.ts\n@@ a line somewhere before the change (optional)\n unchanged line\n-old line\n+new line\n*** Add File: b.ts\n+its lines\n*** Delete File: c.ts\n*** End Patch',
  'or a unified diff:',
  '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n unchanged line\n-old line\n+new line',
].join('\n');

/** Creates the error for a malformed patch. `line` counts from 1; undefined if the error is about the whole patch. */
export function patchError(line: number | undefined, problem: string, hint = FORMS): SynapseError {
  return new SynapseError('invalid_arguments', `${line === undefined ? 'The patch' : `Line ${line} of the patch`} ${problem}; nothing was changed.`, {
    hint,
    ...(line === undefined ? {} : { details: { patch_line: line } }),
  });
}

/** Quotes a line of a patch for an error message. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
