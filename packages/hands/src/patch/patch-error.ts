import { SynapseError } from '@synapse/protocol';

/** The two forms of a patch, as short as they can be shown. */
const FORMS = [
  'A patch has one of two forms:',
  '*** Begin Patch\n*** Update File: src/a.ts\n@@ a line somewhere before the change (optional)\n unchanged line\n-old line\n+new line\n*** Add File: b.ts\n+its lines\n*** Delete File: c.ts\n*** End Patch',
  'or a unified diff:',
  '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n unchanged line\n-old line\n+new line',
].join('\n');

/** A patch that cannot be read. `line` counts from 1; undefined where it is about the whole patch. */
export function patchError(line: number | undefined, problem: string, hint = FORMS): SynapseError {
  return new SynapseError('invalid_arguments', `${line === undefined ? 'The patch' : `Line ${line} of the patch`} ${problem}; nothing was changed.`, {
    hint,
    ...(line === undefined ? {} : { details: { patch_line: line } }),
  });
}

/** A line of a patch as an error repeats it. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
