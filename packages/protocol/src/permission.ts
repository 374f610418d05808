import * as z from 'zod';

/** What kind of power a call needs. */
export const PermissionAction = z.enum(['read', 'write', 'exec', 'net', 'mcp']);
export type PermissionAction = z.infer<typeof PermissionAction>;

/** A resource that a call needs, and what it wants to do with it. */
export const Permission = z.strictObject({ action: PermissionAction, resource: z.string() });
export type Permission = z.infer<typeof Permission>;
