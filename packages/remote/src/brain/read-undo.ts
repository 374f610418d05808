import type { ShownChange, UndoPlan } from '@synapse/hands';
import * as z from 'zod';

const Kind = z.enum(['write', 'create', 'delete', 'mkdir', 'rmdir', 'move', 'link']);

/** Schema of an undo plan from the machine. */
export const UndoPlanRead = z.object({
  calls: z.array(z.object({ call: z.string(), tool: z.string(), session: z.string().nullable(), time: z.string() })),
  changes: z.array(z.object({ kind: Kind, path: z.string(), to: z.string().exactOptional(), before: z.null(), after: z.null() })),
  kept_folders: z.array(z.string()),
  // An older machine sends neither.
  protected: z.array(z.object({ path: z.string(), reason: z.string() })).default([]),
  left: z.array(z.object({ call: z.string(), tool: z.string(), reason: z.string() })).default([]),
  conflicts: z.array(z.string()),
  not_covered: z.array(z.string()),
}) satisfies z.ZodType<UndoPlan>;

/** Schema of the changes of calls from the machine. */
export const ChangesRead = z.array(
  z.object({
    kind: z.enum(['created', 'changed', 'deleted', 'moved']),
    path: z.string(),
    from: z.string().exactOptional(),
    current: z.boolean(),
    note: z.string().exactOptional(),
  }),
) satisfies z.ZodType<ShownChange[]>;
