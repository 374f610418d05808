import { count, size, type ProjectCaches } from '@synapse/hands/internal';

/** A row for a kept cache. */
export function cacheRow({ path, bytes, entries, usedAt }: ProjectCaches['caches'][number]): string[] {
  return [size(bytes), count(entries, 'entry', 'entries'), usedAt.slice(0, 16).replace('T', ' '), path];
}
