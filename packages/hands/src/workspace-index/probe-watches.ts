import { watchLimit } from './watchable.ts';

/** Fewer are used up by editors and one workspace with its dependencies. */
const ENOUGH = 65_536;

/** Whether this user may watch enough folders, for a person. */
export async function probeWatches(): Promise<{ readonly ok: boolean; readonly detail: string; readonly fix?: string }> {
  const limit = watchLimit();
  if (limit === undefined)
    return { ok: false, detail: 'folders cannot be watched here: each command walks the whole workspace', fix: 'Use Linux with inotify.' };
  const detail = `${limit.toLocaleString('en')} folders can be watched; a workspace with more is walked at each command`;
  return limit >= ENOUGH ? { ok: true, detail } : { ok: false, detail, fix: 'sudo sysctl fs.inotify.max_user_watches=524288' };
}
