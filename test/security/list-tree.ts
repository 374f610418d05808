import { lstatSync, readdirSync } from 'node:fs';

/** Everything in a folder, as names with what each change of them alters: mode, size, inode, and the time of the last change. */
export function listTree(folder: string): string {
  const lines: string[] = [];
  const visit = (path: Buffer): void => {
    const stat = lstatSync(path, { bigint: true });
    lines.push(`${path.toString('latin1')} ${stat.mode} ${stat.size} ${stat.ino} ${stat.mtimeNs}`);
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path, { encoding: 'buffer' })) visit(Buffer.concat([path, Buffer.from('/'), name]));
  };
  visit(Buffer.from(folder));
  return lines.toSorted().join('\n');
}
