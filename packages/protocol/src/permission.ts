import * as z from 'zod';

/** The kind of access a call needs. */
export const PermissionAction = z.enum(['read', 'write', 'exec', 'net', 'mcp']);
export type PermissionAction = z.infer<typeof PermissionAction>;

/** A resource and the access that a call needs to it. */
export const Permission = z.strictObject({ action: PermissionAction, resource: z.string() });
export type Permission = z.infer<typeof Permission>;
