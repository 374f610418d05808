import type { Approver, Hands } from '@synapse/hands';
import { inWorkspace, ManyWorkspaces, type HandsPairing, type ServedWorkspaces } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import type { OptionValues } from '../command/option.ts';
import type { handsOptions } from '../command/shared-options.ts';
import { openServedHands } from '../hands/open-hands.ts';
import { chosenProjects, type projectOptions } from './chosen-projects.ts';
import { handsPairing, projectsPairing } from './hands-pairing.ts';
import { remoteFolder } from './remote-folder.ts';

interface Serving {
  readonly url: string;
  /** Undefined for an agent that sends plain calls. */
  readonly name: string | undefined;
  /** The name that the console shows. */
  readonly from: string;
  /** The person who approves calls of a project. */
  readonly person: (root: string) => Approver;
}

/** What a machine serves. */
export interface Served extends AsyncDisposable {
  readonly workspaces: Hands | ServedWorkspaces;
  readonly pairing: HandsPairing | undefined;
  /** The person who approves calls. */
  readonly approver: Approver;
  /** What is served, for people. */
  readonly shown: string;
}

/** An approver whose questions say which project they are about. */
const saying = (name: string, approver: Approver): Approver => ({
  ...approver,
  ask: (request, ...rest) => approver.ask({ ...request, reason: inWorkspace(name, request.reason) }, ...rest),
});

/** Opens the current project, or those that the options name. Each of several is opened for its first call. */
export async function openServed(
  options: OptionValues<typeof handsOptions & typeof projectOptions>,
  { url, name, from, person }: Serving,
  io: CommandIo,
): Promise<Served> {
  const { err } = io;
  const chosen = chosenProjects({ ...options, name }, err);
  if (chosen === undefined || name === undefined) {
    await using stack = new AsyncDisposableStack();
    const hands = stack.use(await openServedHands(options, io, from));
    const { workspace } = hands;
    const pairing = name === undefined ? undefined : await handsPairing(url, name, workspace);
    const opened = stack.move();
    return { workspaces: hands, pairing, approver: person(workspace), shown: workspace, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
  const { pairing, places, home } = await projectsPairing(url, name, chosen);
  const workspaces = new ManyWorkspaces({
    places,
    home,
    open: async (root, project) => {
      // Tools of a project that holds the keys could read them.
      remoteFolder(root);
      const hands = await openServedHands({ ...options, workspace: undefined, folder: root }, { err }, from);
      return { hands, approver: saying(project, person(root)), [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose]() };
    },
  });
  const shown = [...places()].map(([project, root]) => `${project} (${root})`).join(', ');
  if (shown === '') throw new SynapseError('not_found', 'No project to serve.', { hint: 'Add one: synapse projects add <dir>' });
  // Only its being there matters: each project has its own.
  const approver = person('');
  return { workspaces, pairing, approver, shown, [Symbol.asyncDispose]: () => workspaces[Symbol.asyncDispose]() };
}
