import * as z from 'zod';

/** Facts about a machine for a model. */
export const RemoteAbout = z.object({
  /** Path of the workspace on the machine. */
  workspace: z.string(),
  /** The operating system, such as `linux 6.8.0`. */
  system: z.string(),
  /** The constraints on calls, one sentence each. */
  constraints: z.array(z.string()),
  /** What the machine can do beside calls. One of an earlier version sends none. */
  abilities: z.array(z.string()).default([]),
  /** The default dialect of its tools. */
  dialect: z.string().optional(),
});
export type RemoteAbout = z.infer<typeof RemoteAbout>;
