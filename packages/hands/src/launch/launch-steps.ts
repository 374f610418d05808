/** A command line: a program and its arguments. */
export type Argv = readonly [program: string, ...args: string[]];

/** Puts a program before a command line, which that program starts. */
export type Wrap = (argv: Argv) => Argv;

/** The programs between Synapse and a command, from the command outward, with the reason for each place. */
export const LAUNCH_STEPS = [
  {
    name: 'count',
    does: 'counts what the command leaves running, what it leaves outside the workspace, and what the network refused',
    why: 'Only a parent inside the sandbox sees this, before the kernel ends what is left',
  },
  {
    name: 'proxy',
    does: 'forwards a port of the loopback to the proxy of the sandbox',
    why: 'It starts before the command, which uses its port, and ends with it',
  },
  {
    name: 'limits',
    does: 'limits the number of processes',
    why: 'Outside the sandbox, the kernel would count all processes of the user',
  },
  {
    name: 'sandbox',
    does: 'is bubblewrap: mounts, namespaces and the filter of system calls; or, without namespaces, Landlock and a filter',
    why: 'The steps before it run confined; those after it prepare what it mounts',
  },
  {
    name: 'layers',
    does: 'mounts the layers above caches and kept build output',
    why: 'bubblewrap mounts them into the view, and the namespace of the copy hides them from the machine',
  },
  {
    name: 'copy',
    does: 'creates a namespace and mounts the copy of the workspace',
    why: 'bubblewrap mounts the copy over the workspace, and the mount ends with the namespace',
  },
  {
    name: 'sockets',
    does: 'keeps abstract sockets of commands in one network apart',
    why: 'Every later process inherits this, and the program that sets it may be missing in the sandbox',
  },
  {
    name: 'network',
    does: 'joins the network that the session shares while it has jobs',
    why: 'Only the user that created the network can join it, and later steps change the user namespace',
  },
  {
    name: 'hold',
    does: 'stays the parent of a command that outlives its call',
    why: 'bubblewrap ends with its parent',
  },
  {
    name: 'harden',
    does: 'tags the processes, and sets limits and the control group',
    why: 'Every process of the command inherits them. The process runner adds this step, also to commands without a sandbox',
  },
] as const satisfies ReadonlyArray<{ readonly name: string; readonly does: string; readonly why: string }>;

/** The name of a step. */
export type LaunchStep = (typeof LAUNCH_STEPS)[number]['name'];

/** How one command passes each step; undefined if it does not need it. */
export type Launch = Readonly<Record<Exclude<LaunchStep, 'harden'>, Wrap | undefined>>;
