import { auditFolder, listSegments } from './audit-folder.ts';
import { linesBackwards } from './lines-backwards.ts';
import { parseRecord } from './query-audit.ts';

/** Whether other calls changed files of the workspace since a call began; what git keeps does not count. */
export function changedSince(stateFolder: string, root: string, call: string): boolean {
  const own = `"call":${JSON.stringify(call)}`;
  for (const segment of listSegments(auditFolder(stateFolder, root)).toReversed()) {
    for (const { text } of linesBackwards(segment.path)) {
      const isOwn = text.includes(own);
      if (isOwn || !text.includes('"changes":[')) {
        if (isOwn && text.includes('"type":"start"') && parseRecord(text)?.type === 'start') return false;
        continue;
      }
      const record = parseRecord(text);
      if (record?.type === 'end' && record.changes?.some(({ path }) => path !== '.git' && !path.startsWith('.git/')) === true) return true;
    }
  }
  // Its start was removed meanwhile, so it is not known.
  return true;
}
