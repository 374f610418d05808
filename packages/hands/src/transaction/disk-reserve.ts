import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Enough for the databases, locks and logs that it takes to list, apply or drop pending changes. */
const RESERVE_BYTES = 1024 * 1024;
/** It is not made on a disk that is nearly full. */
const ROOM_BYTES = 8 * RESERVE_BYTES;

/** In the state folder, so that all workspaces share it. */
const reserveFor = (areas: string): string => join(areas, '../../disk-reserve');

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Reserves disk space for a folder of areas. If a command fills the disk, its pending changes keep it full, and without
 * this space they could not be dropped.
 */
export function keepReserve(areas: string): void {
  const path = reserveFor(areas);
  if (existsSync(path) || freeBytes(areas) < ROOM_BYTES) return;
  // Not zeros, which a file system may store without space.
  writeFileSync(path, Buffer.alloc(RESERVE_BYTES, 1));
}

/** Gives the reserved space back if the disk is full. */
export function releaseReserve(areas: string): void {
  if (freeBytes(areas) < RESERVE_BYTES) rmSync(reserveFor(areas), { force: true });
}
