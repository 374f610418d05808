import type { Program } from '../program.ts';

/** .NET. */
export const programs: readonly Program[] = [{ names: 'dotnet', naming: { words: 2, deeper: 'ef' } }];
